// Redirections and here-documents of shell scripts.
#include <algorithm>
#include <utility>

#include "engine/inspection/shell_reader.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_at_once = 16;  // here-documents announced on one line
constexpr int most_endless = 8;           // each costs a look through all that follows

// Two in a row are typographers' quotes: they run nothing.
bool has_backtick(std::string_view text) {
  for (auto at = text.find('`'); at != text.npos; at = text.find('`', at + 2)) {
    if (at + 1 == text.size() || text[at + 1] != '`') return true;
  }
  return false;
}

}  // namespace

void ShellReader::redirection() {
  Level& command = level();
  if (peek() == '<' && peek(1) == '<' && peek(2) != '<') {
    here_document_begin();
    return;
  }
  // "2" of "2>&1" is no word.
  if (!is_digits(command.word)) end_word();
  command.in_word = false;
  command.word.clear();
  const bool writes = peek() != '<';
  std::size_t length = 1;
  while (peek(length) == '>' || peek(length) == '<' || peek(length) == '|') ++length;
  const bool duplicates = peek(length) == '&' && peek() != '&';
  if (duplicates) ++length;
  put(length);
  command.is_target = true;
  if (!writes) return;
  std::size_t target = at_;
  while (target < script_.size() && is_blank(script_[target])) ++target;
  const std::string_view rest = script_.substr(target);
  const bool on_screen =
      (duplicates && !rest.empty() && (is_digits(rest.substr(0, 1)) || rest[0] == '-')) ||
      rest.starts_with("/dev/null") || rest.starts_with("/dev/stderr") ||
      rest.starts_with("/dev/stdout") || rest.starts_with("/dev/tty") ||
      rest.starts_with("/dev/console");
  if (!on_screen) command.is_kept = true;
}

void ShellReader::here_document_begin() {
  Level& command = level();
  if (!is_digits(command.word)) end_word();
  command.in_word = false;
  command.word.clear();
  std::size_t length = 2;
  HereDocument document;
  if (peek(length) == '-') {
    document.strips_tabs = true;
    ++length;
  }
  while (is_blank(peek(length))) ++length;
  for (; at_ + length < script_.size(); ++length) {
    const char c = peek(length);
    if (is_blank(c) || std::string_view("\n;&|<>()").find(c) != std::string_view::npos) break;
    if (c != '\'' && c != '"' && c != '\\') document.delimiter.push_back(c);
  }
  put(length);
  if (!document.delimiter.empty() && pending_.size() < most_at_once) {
    pending_.push_back(std::move(document));
  }
}

// The bodies of the here-documents that were announced on the line before. One whose end is
// missing is taken for something else, and what follows for commands.
void ShellReader::here_documents() {
  for (const HereDocument& document : std::exchange(pending_, {})) {
    if (endless_ > most_endless) return;
    std::vector<std::pair<int, std::string_view>> body;
    std::size_t at = at_;
    bool ended = false;
    while (at < script_.size() && !ended) {
      const std::size_t end = std::min(script_.find('\n', at), script_.size());
      std::string_view line = script_.substr(at, end - at);
      if (document.strips_tabs)
        line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      ended = line == document.delimiter;
      body.emplace_back(number_ + static_cast<int>(body.size()), line);
      at = end + 1;
    }
    if (!ended) {
      ++endless_;
      continue;
    }
    for (const auto& [number, line] : body) {
      const std::string_view text = trimmed(line);
      const bool is_comment = text.starts_with('#') && !text.starts_with("#!");
      const bool runs = text.find("$(") != text.npos || has_backtick(text);
      if (is_comment || (document.is_printed && !runs) || line == document.delimiter) continue;
      starts_.push_back({out_.size(), number});
      out_.append(line);
    }
    number_ += static_cast<int>(body.size());
    at_ = std::min(at, script_.size());
  }
}

}  // namespace topsctl
