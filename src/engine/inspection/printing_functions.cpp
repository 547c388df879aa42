// Parses function definitions that consist of one block without nested blocks.
#include "engine/inspection/printing_functions.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/pattern.hpp"

namespace topsctl {

namespace {

using Names = std::set<std::string, std::less<>>;

template <std::size_t size>
bool is_one_of(std::string_view word, const std::array<std::string_view, size>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The text between the braces that begin there; nothing: no braces, or nested ones.
std::optional<std::string_view> block_at(std::string_view script, std::size_t from) {
  const auto begin = script.find_first_not_of(" \t\n", from);
  if (begin == script.npos || script[begin] != '{') return std::nullopt;
  auto end = script.find_first_of("{}", begin + 1);
  while (end != script.npos && script[end] == '{' && script[end - 1] == '$') {
    end = script.find_first_of("{}", end + 1);
    if (end == script.npos || script[end] == '{') return std::nullopt;
    end = script.find_first_of("{}", end + 1);
  }
  if (end == script.npos || script[end] == '{') return std::nullopt;
  return script.substr(begin + 1, end - begin - 1);
}

bool is_harmless(std::string_view command, const Names& printing) {
  constexpr std::array<std::string_view, 7> others = {"exit", "return", "local", "shift",
                                                      "true", "then",   "fi"};
  const std::string_view word = command.substr(0, command.find_first_of(" \t"));
  return word.empty() || is_printer(word) || is_one_of(word, others) || printing.contains(word);
}

bool only_prints(const std::string& block, const Names& printing) {
  static const Pattern to_screen(R"([12]?>\s*(?:&[12]|/dev/(?:stderr|stdout|null|tty))(?:\s|;|$))");
  static const Pattern end_of_command(R"(&&|\|\||[;\n])");
  static const Pattern keeps_or_runs(R"([\x60|&<>]|\$\()");
  const std::string commands = end_of_command.replaced(to_screen.replaced(block, ";"), "\n");
  if (keeps_or_runs.matches(commands)) return false;
  const std::vector<std::string> lines = split(commands, '\n');
  return std::all_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return is_harmless(trimmed(line), printing); });
}

}  // namespace

bool is_printer(std::string_view command) {
  constexpr std::array<std::string_view, 6> printers = {"echo",      "printf", "logger",
                                                        "/bin/echo", ":",      "/usr/bin/printf"};
  return is_one_of(command, printers) || (command.starts_with("log_") && command.ends_with("_msg"));
}

std::set<std::string, std::less<>> printing_functions(std::string_view script) {
  // At any place: also after "then", and in a comment.
  static const Pattern header(R"([\w-]+[ \t]*\([ \t]*\))");
  static const Pattern name_of(R"(([\w-]+)[ \t]*\([ \t]*\))");
  Names printing;
  Names others;
  for (auto at = header.find(script, 0); at; at = header.find(script, at->end)) {
    const auto name = name_of.groups(script.substr(at->begin, at->end - at->begin));
    if (!name) continue;
    const auto text = block_at(script, at->end);
    const bool prints = text && only_prints(std::string(*text), printing);
    (prints ? printing : others).insert(name->front());
  }
  for (const std::string& name : others) printing.erase(name);
  return printing;
}

}  // namespace topsctl
