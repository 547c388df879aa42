// Variables that a shell script sets.
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
      tested;  // words of `[` and `test`, with $NAME as NAME: variables that are tested first
};

// Parses POSIX sh as far as words, quotes, comments and here-documents require. All branches count,
// because it is unknown which are taken. Expands variables that the text set before. Assignments
// for a single command (`A=b command`) do not count. Never throws because of a text's content.
ShellAssignments shell_assignments(std::string_view text, const NameFilter& concerns);

}  // namespace topsctl
