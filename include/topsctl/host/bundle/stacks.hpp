// Sources of stacks: the binary, the operator's directory, or a named file.
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
  std::string file;       // its file; empty: the binary
  std::string text = {};  // of the file
};
// The result of known_stacks(), with the origin of each stack.
std::vector<KnownStack> stacks_with_origin();

// Every stack known on this host: those of the binary, then those of stacks_directory, which
// replace stacks of the same name. The directory is that of the host topsctl runs on. Throws
// Error{bad_stack} for an unreadable file.
std::vector<Stack> known_stacks();

// Whether `choice` is the path of a stack file, not a name.
bool means_stack_file(const std::string& choice);

// The stack for `choice`: a file if it has a '/' or ends in ".json", else a known name;
// NAME@RELEASE selects the release. If FILE.sig exists, it must be a signature of a key that this
// host trusts. Throws Error{bad_stack}, Error{bad_package} if the signature is rejected.
Stack load_stack(const std::string& choice);

// The stack of load_stack(), or without a choice all known stacks.
std::vector<Stack> stacks_meant(const std::string& choice);

struct ChosenStack {
  Stack stack;
  std::optional<InputFile> file = {};  // its file, if one was named
  std::string text = {};               // of the file
  std::string signature = {};          // verified, of the text; empty: not signed
};
// A stack file, with its signer. Throws the errors of load_stack().
ChosenStack read_stack_file(const std::string& file);

// The stack for installing or sending packages, at their release: by load_stack(), or by
// matching_stack() without a choice. Throws the errors of both and of resolved(), and
// Error{bad_package} for an unsigned stack file on a host that requires a signature.
ChosenStack chosen_stack(const std::string& choice, const Inventory& inventory);

// The known stack whose required components are all in `inventory`, the one with the most
// components if several match, at the release of the packages. Throws Error{bad_bundle} if no stack
// matches, with the missing and found components of the nearest one, or if releases are mixed.
Stack matching_stack(const Inventory& inventory);

}  // namespace topsctl
