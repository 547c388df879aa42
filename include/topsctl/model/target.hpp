// The machines that are reached over SSH, and containers on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// A machine, and perhaps a container on it.
struct Target {
  std::string user;       // empty: what the SSH configuration or the user's own name says
  std::string host;       // name, address or alias; empty: this machine
  unsigned port = 0;      // 0: what the SSH configuration says, else 22
  std::string container;  // empty: the machine itself

  bool is_local() const { return host.empty(); }
  // As it is given on the command line: "ops@node1:2222/topsrider", "local:".
  std::string text() const;
  bool operator==(const Target&) const = default;
};

// Reads "[USER@]HOST[:PORT][/CONTAINER]", an IPv6 address in brackets, "local:" or
// "local:/CONTAINER". Throws Error{usage}.
Target parse_target(std::string_view text);

// One target a line; '#' begins a comment. Throws Error{usage} with `source` and the line, also if
// there is none.
std::vector<Target> parse_targets(std::string_view text, const std::string& source);

}  // namespace topsctl
