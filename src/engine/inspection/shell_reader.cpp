// Quotes, substitutions, comments, commands, redirections and here-documents of shell scripts.
#include "engine/inspection/shell_reader.hpp"

#include <algorithm>
#include <utility>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t deepest = 64;  // substitutions within substitutions that are followed

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && word.find_first_of("'\"$/") >= equals;
}

// Words after which a command still has to come.
bool is_prefix(std::string_view word) {
  return is_assignment(word) || is_one_of(word, {"if", "then", "else", "elif", "while", "until",
                                                 "do", "!", "{", "time", "command", "builtin"});
}

bool is_printer(std::string_view word) {
  return is_one_of(word, {"echo", "printf", "logger", ":", "/bin/echo", "/usr/bin/printf"}) ||
         (word.starts_with("log_") && word.ends_with("_msg"));
}

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

ShellReader::ShellReader(std::string_view script, Quotes quotes)
    : script_(script), quotes_(quotes) {
  levels_.emplace_back();
  starts_.push_back({0, 1});
}

void ShellReader::read() {
  while (at_ < script_.size()) step();
  end_command(true);
}

ShellReader::Level& ShellReader::command_level() {
  auto found = levels_.end();
  do --found;
  while (!found->holds_commands());
  return *found;
}

// Takes characters over as they are.
void ShellReader::put(std::size_t count) {
  Level& command = command_level();
  if (command.prints) {
    if (!command.printed.empty() && command.printed.back().end == out_.size()) {
      command.printed.back().end += count;
    } else {
      command.printed.push_back({out_.size(), out_.size() + count});
    }
  }
  out_.append(script_.substr(at_, count));
  at_ += count;
}

void ShellReader::enter(Level::Kind kind) {
  if (levels_.size() < deepest) levels_.emplace_back().kind = kind;
}

void ShellReader::leave() {
  if (level().holds_commands()) end_command(false);
  if (levels_.size() > 1) levels_.pop_back();
}

void ShellReader::step() {
  const char c = peek();
  if (c == '\n') {
    end_line();
  } else if (c == '\\' && level().kind != Level::Kind::single) {
    backslash();
  } else if (level().holds_commands()) {
    step_in_command();
  } else {
    step_in_quotes();
  }
}

void ShellReader::backslash() {
  if (peek(1) == '\n' && level().kind != Level::Kind::ansi) {
    at_ += 2;
    ++number_;
    return;
  }
  Level& command = command_level();
  if (level().holds_commands()) {
    command.in_word = true;
    if (peek(1) != '\0') command.word.push_back(peek(1));
  }
  put(peek(1) == '\0' || peek(1) == '\n' ? 1 : 2);
}

bool ShellReader::step_over_substitution() {
  if (peek() == '$' && peek(1) == '(') {
    const bool arithmetic = peek(2) == '(';
    enter(arithmetic ? Level::Kind::arithmetic : Level::Kind::substitution);
    put(arithmetic ? 3 : 2);
    return true;
  }
  if (peek() != '`') return false;
  if (level().kind == Level::Kind::backticks) {
    end_command(false);
    put();
    leave();
  } else {
    enter(Level::Kind::backticks);
    put();
  }
  return true;
}

void ShellReader::step_in_quotes() {
  const char c = peek();
  Level& quotes = level();
  if (quotes.kind == Level::Kind::arithmetic) {
    if (c == '(') ++quotes.parentheses;
    if (c == ')' && quotes.parentheses-- == 0) {
      put(peek(1) == ')' ? 2 : 1);
      leave();
      return;
    }
    put();
    return;
  }
  const bool closes = quotes.kind == Level::Kind::twofold ? c == '"' : c == '\'';
  if (closes) {
    put();
    leave();
  } else if (quotes.kind != Level::Kind::twofold || !step_over_substitution()) {
    Level& command = command_level();
    command.word.push_back(c);
    put();
  }
}

void ShellReader::step_in_command() {
  const char c = peek();
  Level& command = level();
  if (c == '#' && !command.in_word && !(at_ == 0 && peek(1) == '!')) {
    at_ = std::min(script_.find('\n', at_), script_.size());
  } else if (is_blank(c)) {
    end_word();
    put();
  } else if (c == '\'' || c == '"' || (c == '$' && peek(1) == '\'')) {
    command.in_word = true;
    const bool ansi = c == '$';
    put(ansi ? 2 : 1);
    enter(c == '"' ? Level::Kind::twofold : ansi ? Level::Kind::ansi : Level::Kind::single);
  } else if (c == '$' || c == '`') {
    command.in_word = true;
    command.word.push_back(c);
    if (!step_over_substitution()) put();
  } else if (c == '<' || c == '>' || (c == '&' && peek(1) == '>')) {
    redirection();
  } else if (c == ';' || c == '&' || c == '|' || c == '(' || c == ')') {
    separator();
  } else {
    command.in_word = true;
    command.word.push_back(c);
    put();
  }
}

void ShellReader::end_word() {
  Level& command = command_level();
  if (!command.in_word) return;
  const std::string word = std::exchange(command.word, {});
  command.in_word = false;
  command.after_pipe = false;
  if (std::exchange(command.is_target, false) || command.has_command || is_prefix(word)) return;
  command.has_command = true;
  command.prints = is_printer(word);
  command.is_cat = word == "cat" || word == "/bin/cat";
}

// `prints_only`: what the command prints is seen by a person and by nobody else.
void ShellReader::end_command(bool prints_only) {
  end_word();
  Level& command = command_level();
  const bool harmless = prints_only && !command.is_kept && command.kind == Level::Kind::commands;
  if (harmless) {
    blanked_.insert(blanked_.end(), command.printed.begin(), command.printed.end());
  }
  for (HereDocument& document : pending_) {
    if (!std::exchange(document.of_current_command, false)) continue;
    document.is_printed = harmless && command.is_cat;
  }
  command.printed.clear();
  command.word.clear();
  command.has_command = command.is_target = command.prints = false;
  command.is_cat = command.is_kept = command.after_pipe = false;
}

void ShellReader::separator() {
  const char c = peek();
  const bool pipe = c == '|' && peek(1) != '|';
  const bool twice = (c == '|' || c == '&' || c == ';') && peek(1) == c;
  end_command(!pipe);
  Level& command = level();
  if (c == ')' && command.kind == Level::Kind::substitution && command.parentheses == 0) {
    put();
    leave();
    return;
  }
  if (c == '(') ++command.parentheses;
  if (c == ')' && command.parentheses > 0) --command.parentheses;
  put(twice ? 2 : 1);
  command.after_pipe = pipe;
}

void ShellReader::end_line() {
  ++number_;
  if (quotes_ == Quotes::end_with_line) {
    while (levels_.size() > 1) leave();
  }
  if (level().holds_commands()) {
    end_word();
    if (level().after_pipe) {
      out_.push_back(' ');
      ++at_;
      return;
    }
    end_command(true);
  }
  ++at_;
  if (!pending_.empty() && level().holds_commands()) here_documents();
  starts_.push_back({out_.size(), number_});
}

std::vector<ScriptLine> ShellReader::lines() const {
  std::string text = out_;
  for (const Extent& extent : blanked_) {
    std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(extent.begin), extent.end - extent.begin,
                ' ');
  }
  std::vector<ScriptLine> lines;
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1].offset : text.size();
    std::string line = text.substr(starts_[i].offset, end - starts_[i].offset);
    if (!trimmed(line).empty()) lines.push_back({starts_[i].number, std::move(line)});
  }
  return lines;
}

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
