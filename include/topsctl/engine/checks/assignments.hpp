// Variables that a text without expansions sets: /etc/environment, a systemd unit, the environment
// of a process.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct Assignment {
  std::string name;
  std::string value;          // unknown expansions stand as written
  int line = 0;               // from 1; 0: the text has no lines
  bool is_known = true;       // no expansions except of the variable itself
  bool appends_bare = false;  // "$NAME" beside a colon: an empty entry if NAME is unset
  bool operator==(const Assignment&) const = default;
};

// Selects the names to report.
using NameFilter = std::function<bool(std::string_view)>;

// pam_env(7): NAME=VALUE, optionally after `export`, optionally in quotes; nothing is expanded.
std::vector<Assignment> login_assignments(std::string_view text, const NameFilter& concerns);
// Environment= of systemd.exec(5).
std::vector<Assignment> unit_assignments(std::string_view text, const NameFilter& concerns);
// environ(7) as /proc has it: entries that end in NUL.
std::vector<Assignment> process_assignments(std::string_view text, const NameFilter& concerns);

}  // namespace topsctl
