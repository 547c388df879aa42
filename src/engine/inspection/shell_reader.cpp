// Quotes, substitutions, comments and commands of shell scripts.
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

}  // namespace topsctl
