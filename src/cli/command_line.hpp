// Parses a command line as its table of options says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.hpp"

namespace topsctl {

struct ParsedCommandLine {
  const OptionTable* command = nullptr;  // the last part of the program that was given, if any
  std::optional<std::string> help;       // -h was given: the short help of what it stands behind
};

// Puts `words`, those behind the program's name, into the targets of the program's options and
// notes in its table what was given. Throws Error{usage}, with the parts that were given noted, and
// what an immediate option throws.
ParsedCommandLine parse_command_line(OptionTable& program, const std::vector<std::string>& words);

// The part of the program that was given, the first in the order of the help; null if none was.
const OptionTable* given_command(const OptionTable& program);

}  // namespace topsctl
