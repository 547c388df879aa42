// Splits a maintainer script into lines that can be judged separately.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

enum class ScriptLanguage { shell, other };
// By the line "#!"; without it, the shell runs the script.
ScriptLanguage script_language(std::string_view script);

struct ScriptLine {
  int number = 0;  // of its first line in the script, from 1
  std::string text;
  bool operator==(const ScriptLine&) const = default;
};

// The lines to judge. A backslash or a pipe at the end of a line joins it with the next. Comments
// are removed, and in shell scripts also text that is only printed: the words of echo, printf,
// logger and cat's here-documents, unless they go into a file, a pipe or a substitution. Lines of
// other here-documents are separate lines. In other languages each line appears a second time with
// quotes, commas and brackets replaced by blanks, for commands given as lists. Never throws because
// of a script's content; parses the shell's grammar as far as quoting requires.
std::vector<ScriptLine> script_lines(std::string_view script);

}  // namespace topsctl
