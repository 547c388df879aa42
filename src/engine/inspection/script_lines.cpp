// Takes scripts apart into lines, by the language they are written in.
#include "engine/inspection/script_lines.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/inspection/shell_reader.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string flattened(std::string_view line) {
  std::string out(line);
  for (char& c : out) {
    if (std::string_view("'\",[]").find(c) != std::string_view::npos) c = ' ';
  }
  return out;
}

}  // namespace

ScriptLanguage script_language(std::string_view script) {
  if (!script.starts_with("#!")) return ScriptLanguage::shell;
  std::string_view line = trimmed(script.substr(2, script.find('\n') - 2));
  std::vector<std::string> words;
  for (std::string& word : split(line, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  const auto base = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  if (words.empty()) return ScriptLanguage::shell;
  const std::string_view first = base(words[0]);
  const bool is_second = words.size() > 1 && (first == "env" || first == "busybox");
  static const std::set<std::string_view> shells = {"sh",   "bash", "dash", "ksh",
                                                    "mksh", "zsh",  "ash"};
  const std::string_view interpreter = is_second ? base(words[1]) : first;
  return shells.contains(interpreter) ? ScriptLanguage::shell : ScriptLanguage::other;
}

std::vector<ScriptLine> script_lines(std::string_view script) {
  if (script_language(script) == ScriptLanguage::shell) {
    ShellReader reader(script, Quotes::go_on);
    reader.read();
    if (reader.is_balanced()) return reader.lines();
    ShellReader careful(script, Quotes::end_with_line);
    careful.read();
    return careful.lines();
  }
  ShellReader reader(script, Quotes::end_with_line);
  reader.read();
  std::vector<ScriptLine> lines;
  for (ScriptLine& line : reader.lines()) {
    const std::string flat = flattened(line.text);
    const bool differs = flat != line.text;
    const int number = line.number;
    lines.push_back(std::move(line));
    if (differs) lines.push_back({number, flat});
  }
  return lines;
}

}  // namespace topsctl
