// The simple commands of a line of a shell script.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct ShellWord {
  std::string text;        // without quotes
  bool is_literal = true;  // the command receives the text as written
};

struct ShellCommand {
  std::vector<ShellWord> words;    // without assignments before it, and without keywords
  std::vector<ShellWord> targets;  // files for its output
};

struct ShellLine {
  std::vector<ShellCommand> commands;  // including those in substitutions
  std::vector<std::string> functions;  // whose definitions begin on it
  std::vector<std::string> variables;  // set by an assignment or a loop
  bool is_understood = true;           // false: quotes or brackets that do not end
};

// POSIX.1-2017, Shell Command Language 2.2 to 2.9, as far as separating commands requires.
ShellLine shell_line(std::string_view text);

}  // namespace topsctl
