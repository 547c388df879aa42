// Which variables a script of a shell sets.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/checks/assignments.hpp"

namespace topsctl {

struct ShellAssignments {
  std::vector<Assignment> assignments;  // in the order of the text
  std::set<std::string>
      tested;  // words of `[` and `test`, with $NAME as NAME: what is asked before
};

// POSIX sh as far as words, quotes, comments and here-documents need it; whether a branch is taken
// is not known, so all of them count. A variable that the text has set before is expanded. What is
// given to one command alone (`A=b command`) does not count. Never throws for what a text holds.
ShellAssignments shell_assignments(std::string_view text, const NameFilter& concerns);

}  // namespace topsctl
