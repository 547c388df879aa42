// Finds places where scripts and configurations set variables of the vendor.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include "topsctl/model/contents.hpp"

namespace topsctl {

inline constexpr std::size_t most_settings = 10'000;  // different ones; more are ignored

// Counts each place of a text that sets a variable beginning with ECCL_, ENFLAME_, TOPS_, GCU_ or
// PTEX_: `X=v` in shells, `env`, `-x`, `--env` and systemd, `"X": "v"` in JSON, Python and YAML,
// `environ['X'] = 'v'`, `setdefault('X', 'v')`, `ENV X v` in a Dockerfile, `setenv X v`. Comment
// lines do not count. Values are as written, printable, at most 256 bytes.
void scan_settings(std::string_view text, std::map<Setting, std::uint64_t>& settings);

}  // namespace topsctl
