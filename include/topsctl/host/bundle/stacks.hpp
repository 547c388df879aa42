// Where stacks come from: the binary itself, the operator's folder, or a named file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/input_file.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

inline constexpr const char* stacks_directory = "/etc/topsctl/stacks.d";

// Every stack known on this machine: those of the binary, then those of stacks_directory, which
// replace stacks of the same name. The folder is that of the machine topsctl runs on. Throws
// Error{bad_stack} for a file that cannot be read.
std::vector<Stack> known_stacks();

// The stack that `choice` means: a file if it has a '/' or ends in ".json", else a known name.
// If FILE.sig is beside a file, that must be a signature of a key that is trusted on this machine.
// Throws Error{bad_stack}, Error{bad_package} if the signature is refused.
Stack load_stack(const std::string& choice);

// That one, or without a choice all that are known.
std::vector<Stack> stacks_meant(const std::string& choice);

struct ChosenStack {
  Stack stack;
  std::optional<InputFile> file = {};  // that it was read from, if one was named
};
// The stack by which packages are installed or sent: as load_stack() finds it, or matching_stack()
// without a choice. Throws what they throw, and Error{bad_package} for a stack file without a
// signature on a machine that demands one.
ChosenStack chosen_stack(const std::string& choice, const Inventory& inventory);

// The known stack of which `inventory` has all required components, the one with the most
// components if there are several. Throws Error{bad_bundle} if there is none, naming what is
// missing from the nearest.
Stack matching_stack(const Inventory& inventory);

}  // namespace topsctl
