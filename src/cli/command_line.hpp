// Parses a command line by its table of options.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.hpp"

namespace topsctl {

struct ParsedCommandLine {
  const OptionTable* command = nullptr;  // the last given part of the program, if any
  std::optional<std::string> help;       // -h was given: the short help of the part before it
};

// Stores `words`, those after the program's name, in the targets of the program's options and marks
// the given options in its table. Throws Error{usage}, with the given parts marked, and the errors
// of immediate options.
ParsedCommandLine parse_command_line(OptionTable& program, const std::vector<std::string>& words);

// The given part of the program, the first in the order of the help; null if none was given.
const OptionTable* given_command(const OptionTable& program);

}  // namespace topsctl
