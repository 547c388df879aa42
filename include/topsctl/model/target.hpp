// The hosts that are reached over SSH, and containers on them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// A host, or a container on it.
struct Target {
  std::string user;       // empty: by the SSH configuration, else the user's own name
  std::string host;       // name, address or alias; empty: this host
  unsigned port = 0;      // 0: by the SSH configuration, else 22
  std::string container;  // empty: the host itself

  bool is_local() const { return host.empty(); }
  // As on the command line: "ops@node1:2222/topsrider", "local:".
  std::string text() const;
  bool operator==(const Target&) const = default;
};

// Parses "[USER@]HOST[:PORT][/CONTAINER]", an IPv6 address in brackets, "local:" or
// "local:/CONTAINER". Throws Error{usage}.
Target parse_target(std::string_view text);

// One target per line; '#' begins a comment. Throws Error{usage} with `source` and the line, also
// if there is no target, or more than 10,000.
std::vector<Target> parse_targets(std::string_view text, const std::string& source);

}  // namespace topsctl
