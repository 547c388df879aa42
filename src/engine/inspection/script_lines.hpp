// A maintainer script as lines that can be judged one by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

enum class ScriptLanguage { shell, other };
// By the line "#!"; a script without one is run by the shell.
ScriptLanguage script_language(std::string_view script);

struct ScriptLine {
  int number = 0;  // of its first line in the script, from 1
  std::string text;
  bool operator==(const ScriptLine&) const = default;
};

// The lines that hold something to judge. A backslash or a pipe at the end of a line joins it with
// the next. Comments are gone, and of the shell also what is only printed: the words of echo,
// printf, logger and cat's here-documents, unless they go into a file, a pipe or a substitution.
// Lines of other here-documents are lines of their own. Of other languages each line comes a
// second time with quotes, commas and brackets as blanks, for commands given as lists. Never
// throws for what a script holds; the shell's grammar is followed as far as quoting needs it.
std::vector<ScriptLine> script_lines(std::string_view script);

}  // namespace topsctl
