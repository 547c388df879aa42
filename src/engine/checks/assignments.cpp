// Reads the simple forms of assignments: of log-ins, units and processes.
#include "topsctl/engine/checks/assignments.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/model/environment_settings.hpp"

namespace topsctl {

namespace {

void add(std::vector<Assignment>& assignments, std::string_view text, int line,
         const NameFilter& concerns) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return;
  const std::string_view name = text.substr(0, equals);
  if (!is_variable_name(name) || !concerns(name)) return;
  assignments.push_back(
      {std::string(name), std::string(text.substr(equals + 1)), line, true, false});
}

// One word of a unit's list: quotes anywhere, C escapes; invalid parts stay unchanged.
std::vector<std::string> words_of_unit(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  char quote = '\0';
  bool in_word = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      word += next == 'n' ? '\n' : next == 't' ? '\t' : next == 's' ? ' ' : next;
      in_word = true;
    } else if (quote != '\0' ? c == quote : c == '"' || c == '\'') {
      quote = quote != '\0' ? '\0' : c;
      in_word = true;
    } else if (quote == '\0' && (c == ' ' || c == '\t')) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      if (c == '%' && i + 1 < text.size() && text[i + 1] == '%') ++i;
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::vector<Assignment> login_assignments(std::string_view text, const NameFilter& concerns) {
  constexpr std::string_view exported = "export ";
  std::vector<Assignment> assignments;
  int number = 0;
  for (const std::string& whole : split(text, '\n')) {
    ++number;
    std::string_view line = trimmed(std::string_view(whole).substr(0, whole.find('#')));
    if (line.starts_with(exported)) line = trimmed(line.substr(exported.size()));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view value = line.substr(equals + 1);
    const bool is_quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
                           value.back() == value.front();
    if (is_quoted) value = value.substr(1, value.size() - 2);
    add(assignments, concat(line.substr(0, equals + 1), value), number, concerns);
  }
  return assignments;
}

std::vector<Assignment> unit_assignments(std::string_view text, const NameFilter& concerns) {
  constexpr std::string_view key = "Environment";
  std::vector<Assignment> assignments;
  std::string joined_line;
  int number = 0;
  int begins = 1;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    if (joined_line.empty()) begins = number;
    const bool is_comment = line.starts_with('#') || line.starts_with(';');
    if (is_comment) continue;  // also between the lines of one value
    if (line.ends_with('\\')) {
      joined_line += concat(std::string_view(line).substr(0, line.size() - 1), " ");
      continue;
    }
    joined_line += line;
    const auto equals = joined_line.find('=');
    const std::string_view whole = joined_line;
    if (equals != std::string::npos && trimmed(whole.substr(0, equals)) == key) {
      const std::vector<std::string> words = words_of_unit(trimmed(whole.substr(equals + 1)));
      if (words.empty()) assignments.clear();  // an empty assignment clears the previous ones
      for (const std::string& word : words) add(assignments, word, begins, concerns);
    }
    joined_line.clear();
  }
  return assignments;
}

std::vector<Assignment> process_assignments(std::string_view text, const NameFilter& concerns) {
  std::vector<Assignment> assignments;
  for (const std::string& entry : split(text, '\0')) add(assignments, entry, 0, concerns);
  return assignments;
}

}  // namespace topsctl
