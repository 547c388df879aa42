// Where stacks come from: the binary itself, the operator's folder, or a named file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/input_file.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

inline constexpr const char* stacks_directory = "/etc/topsctl/stacks.d";

struct KnownStack {
  Stack stack;
  std::string file;       // that it was read from; empty: the binary
  std::string text = {};  // of the stack file
};
// What known_stacks() gives, with where each comes from.
std::vector<KnownStack> stacks_with_origin();

// Every stack known on this machine: those of the binary, then those of stacks_directory, which
// replace stacks of the same name. The folder is that of the machine topsctl runs on. Throws
// Error{bad_stack} for a file that cannot be read.
std::vector<Stack> known_stacks();

// Whether `choice` is the path of a stack file, not a name.
bool means_stack_file(const std::string& choice);

// The stack that `choice` means: a file if it has a '/' or ends in ".json", else a known name, and
// with NAME@RELEASE at that release.
// If FILE.sig is beside a file, that must be a signature of a key that is trusted on this machine.
// Throws Error{bad_stack}, Error{bad_package} if the signature is refused.
Stack load_stack(const std::string& choice);

// That one, or without a choice all that are known.
std::vector<Stack> stacks_meant(const std::string& choice);

struct ChosenStack {
  Stack stack;
  std::optional<InputFile> file = {};  // that it was read from, if one was named
  std::string text = {};               // of that file
};
// A stack file, with who signed it. Throws what load_stack() throws.
ChosenStack read_stack_file(const std::string& file);

// The stack by which packages are installed or sent, at the release that they are of: as
// load_stack() finds it, or matching_stack() without a choice. Throws what they and resolved()
// throw, and Error{bad_package} for a stack file without a
// signature on a machine that demands one.
ChosenStack chosen_stack(const std::string& choice, const Inventory& inventory);

// The known stack of which `inventory` has all required components, the one with the most
// components if there are several, at the release of the packages. Throws Error{bad_bundle} if
// there is none, naming what the nearest wants and what was found, or if releases are mixed.
Stack matching_stack(const Inventory& inventory);

}  // namespace topsctl
