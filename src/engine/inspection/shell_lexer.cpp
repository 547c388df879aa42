// Quotes, substitutions, comments, operators and here-documents of shell
// scripts.
#include "topsctl/engine/inspection/shell_lexer.hpp"

#include <algorithm>
#include <utility>

namespace topsctl {

namespace {

using Kind = ShellToken::Kind;

constexpr std::size_t deepest = 64;       // levels within levels that are followed
constexpr std::size_t most_at_once = 16;  // here-documents announced on one line
constexpr int most_endless = 8;           // each costs a look through all that follows
constexpr std::string_view blanks = " \t\r";
constexpr std::string_view operators = ";&|()<>";

bool is_any_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

}  // namespace

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view ShellToken::literal() const {
  if (kind != Kind::escape || text.size() == 1) return text;
  const char c = text[1];
  if (level == ShellLevel::double_quotes) return text.substr(is_any_of(c, "$`\"\\") ? 1 : 0);
  if (level != ShellLevel::ansi_quotes) return text.substr(1);
  if (c == 'n') return "\n";
  if (c == 't') return "\t";
  return text.substr(is_any_of(c, "'\"\\?") ? 1 : 0);
}

ShellLexer::ShellLexer(std::string_view script, Quotes quotes) : script_(script), quotes_(quotes) {}

std::optional<ShellToken> ShellLexer::next() {
  if (at_ >= script_.size()) return std::nullopt;
  if (!found_.empty()) return here_line();
  if (peek() == '\n') return newline();
  if (peek() == '\\' && level().kind != ShellLevel::single_quotes) return backslash();
  switch (level().kind) {
    case ShellLevel::script:
    case ShellLevel::substitution:
    case ShellLevel::backticks:
      return in_commands();
    case ShellLevel::arithmetic:
      return in_arithmetic();
    case ShellLevel::parameter:
      return in_parameter();
    default:
      return in_quotes();
  }
}

ShellToken ShellLexer::taken(Kind kind, std::size_t length) {
  const ShellToken token{kind, script_.substr(at_, length), level().kind, line_};
  at_ += token.text.size();
  in_word_ = false;
  return token;
}

ShellToken ShellLexer::word(Kind kind, std::size_t length) {
  const ShellToken token = taken(kind, length);
  in_word_ = true;
  return token;
}

// At least one character, and all up to the next one with a possible meaning.
ShellToken ShellLexer::text_until(std::string_view others) {
  const std::size_t end = std::min(script_.find_first_of(others, at_ + 1), script_.size());
  return word(Kind::text, end - at_);
}

ShellToken ShellLexer::open(ShellLevel kind, std::size_t length) {
  if (levels_.size() >= deepest) return word(Kind::text, length);
  levels_.push_back({kind, level().in_double_quotes || kind == ShellLevel::double_quotes});
  const ShellToken token = word(Kind::open, length);
  if (token.is_among_commands()) {
    in_word_ = false;
    levels_.back().in_double_quotes = false;
  }
  return token;
}

ShellToken ShellLexer::close(std::size_t length) {
  const ShellToken token = word(Kind::close, length);
  levels_.pop_back();
  return token;
}

ShellToken ShellLexer::newline() {
  if (quotes_ == Quotes::end_with_line && levels_.size() > 1) return close(0);
  const ShellToken token = taken(Kind::newline, 1);
  ++line_;
  if (token.is_among_commands()) find_here_documents();
  return token;
}

ShellToken ShellLexer::backslash() {
  if (peek(1) != '\n') return word(Kind::escape, 2);
  if (level().kind == ShellLevel::ansi_quotes) return word(Kind::escape, 1);
  const bool in_word = in_word_;
  const ShellToken token = taken(Kind::continuation, 2);
  in_word_ = in_word;
  ++line_;
  return token;
}

ShellToken ShellLexer::in_commands() {
  const char c = peek();
  if (c == '#' && !in_word_)
    return taken(Kind::comment, std::min(script_.find('\n', at_), script_.size()) - at_);
  if (is_any_of(c, blanks)) {
    return taken(Kind::blank,
                 std::min(script_.find_first_not_of(blanks, at_), script_.size()) - at_);
  }
  if (c == '\'') return open(ShellLevel::single_quotes, 1);
  if (c == '"') return open(ShellLevel::double_quotes, 1);
  if (c == '$' || c == '`') return expansion();
  if (c == '<' || c == '>' || (c == '&' && peek(1) == '>')) return redirection();
  if (is_any_of(c, operators)) return separator();
  return text_until(" \t\r\n\\'\"$`;&|()<>");
}

ShellToken ShellLexer::in_arithmetic() {
  const char c = peek();
  if (c == '(') ++levels_.back().parentheses;
  if (c == ')' && levels_.back().parentheses-- == 0) return close(peek(1) == ')' ? 2 : 1);
  return text_until("()\\\n");
}

ShellToken ShellLexer::in_parameter() {
  const char c = peek();
  if (c == '}') return close(1);
  if (c == '\'' && !level().in_double_quotes) return open(ShellLevel::single_quotes, 1);
  if (c == '"') return open(ShellLevel::double_quotes, 1);
  if (c == '$' || c == '`') return expansion();
  return text_until("}'\"$`\\\n");
}

ShellToken ShellLexer::in_quotes() {
  const char c = peek();
  const bool is_double = level().kind == ShellLevel::double_quotes;
  if (c == (is_double ? '"' : '\'')) return close(1);
  if (is_double && (c == '$' || c == '`')) return expansion();
  return text_until(is_double ? "\"$`\\\n" : "'\\\n");
}

ShellToken ShellLexer::expansion() {
  if (peek() == '`')
    return level().kind == ShellLevel::backticks ? close(1) : open(ShellLevel::backticks, 1);
  if (peek(1) == '(') {
    return peek(2) == '(' ? open(ShellLevel::arithmetic, 3) : open(ShellLevel::substitution, 2);
  }
  if (peek(1) == '{') return open(ShellLevel::parameter, 2);
  if (peek(1) == '\'' && !level().in_double_quotes) return open(ShellLevel::ansi_quotes, 2);
  std::size_t length = 1;
  while (is_name_character(peek(length))) ++length;
  if (length == 1 && peek(1) != '\0' && is_any_of(peek(1), "@*#?$!-")) length = 2;
  return word(length > 1 ? Kind::variable : Kind::text, length);
}

ShellToken ShellLexer::separator() {
  const char c = peek();
  Level& commands = levels_.back();
  if (c == ')' && commands.kind == ShellLevel::substitution && commands.parentheses == 0)
    return close(1);
  if (c == '(') ++commands.parentheses;
  if (c == ')' && commands.parentheses > 0) --commands.parentheses;
  return taken(Kind::separator, is_any_of(c, ";&|") && peek(1) == c ? 2 : 1);
}

ShellToken ShellLexer::redirection() {
  if (peek() == '<' && peek(1) == '<' && peek(2) != '<') return here_document();
  std::size_t length = 1;
  while (peek(length) == '>' || peek(length) == '<' || peek(length) == '|') ++length;
  if (peek() != '&' && peek(length) == '&') ++length;
  return taken(Kind::redirection, length);
}

ShellToken ShellLexer::here_document() {
  HereDocument document;
  document.strips_tabs = peek(2) == '-';
  std::size_t length = document.strips_tabs ? 3 : 2;
  while (at_ + length < script_.size() && is_any_of(peek(length), blanks)) ++length;
  for (; at_ + length < script_.size(); ++length) {
    const char c = peek(length);
    if (c == '\n' || is_any_of(c, blanks) || is_any_of(c, operators)) break;
    if (!is_any_of(c, "'\"\\")) document.delimiter.push_back(c);
  }
  ShellToken token = taken(Kind::here_document, length);
  token.document = document.number = documents_++;
  if (!document.delimiter.empty() && announced_.size() < most_at_once)
    announced_.push_back(std::move(document));
  return token;
}

std::string_view ShellLexer::line_at(std::size_t offset, bool strips_tabs) const {
  const std::string_view line = script_.substr(offset, script_.find('\n', offset) - offset);
  return line.substr(strips_tabs ? std::min(line.find_first_not_of('\t'), line.size()) : 0);
}

// One without an end marker is not a here-document; the following lines are commands.
void ShellLexer::find_here_documents() {
  std::size_t begin = at_;
  for (HereDocument& document : std::exchange(announced_, {})) {
    if (endless_ > most_endless) return;
    std::size_t at = begin;
    while (at < script_.size() && line_at(at, document.strips_tabs) != document.delimiter)
      at = std::min(script_.find('\n', at), script_.size() - 1) + 1;
    if (at >= script_.size()) {
      ++endless_;
      continue;
    }
    document.end = at;
    found_.push_back(std::move(document));
    begin = std::min(script_.find('\n', at), script_.size() - 1) + 1;
  }
}

ShellToken ShellLexer::here_line() {
  const HereDocument& document = found_.front();
  const bool is_end = at_ == document.end;
  const std::string_view line = line_at(at_, document.strips_tabs);
  const ShellToken token{is_end ? Kind::here_document_end : Kind::here_line, line, level().kind,
                         line_++, document.number};
  at_ = std::min(script_.find('\n', at_), script_.size() - 1) + 1;
  if (is_end) found_.pop_front();
  return token;
}

}  // namespace topsctl
