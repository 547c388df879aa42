// Where stacks come from: the binary itself, the operator's folder, or a named file.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

inline constexpr const char* stacks_directory = "/etc/topsctl/stacks.d";

// Every stack known on this machine: those of the binary, then those of stacks_directory, which
// replace stacks of the same name. The folder is that of the machine topsctl runs on. Throws
// Error{bad_stack} for a file that cannot be read.
std::vector<Stack> known_stacks();

// The stack that `choice` means: a file if it has a '/' or ends in ".json", else a known name.
// Throws Error{bad_stack}.
Stack load_stack(const std::string& choice);

// The known stack of which `inventory` has all required components, the one with the most
// components if there are several. Throws Error{bad_bundle} if there is none, naming what is
// missing from the nearest.
Stack matching_stack(const Inventory& inventory);

}  // namespace topsctl
