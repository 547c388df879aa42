// Splits Python source into tokens, in one pass over its bytes.
#include "topsctl/engine/diagnosis/python_tokens.hpp"

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_brackets = 200;  // as CPython
constexpr std::size_t most_indents = 100;   // as CPython

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Encodings with two-byte characters whose second byte may look like ASCII.
bool has_double_bytes(std::string_view encoding) {
  return is_any_of(encoding, {"gbk", "cp936", "gb2312", "gb18030", "big5", "shift_jis", "cp932"});
}

bool is_single_byte(std::string_view encoding) {
  return encoding.starts_with("iso-8859-") || encoding.starts_with("iso8859-") ||
         encoding.starts_with("cp125") ||
         is_any_of(encoding, {"latin-1", "latin1", "koi8-r", "ascii", "us-ascii", "euc-jp"});
}

// Non-ASCII punctuation from input methods: Python rejects it outside of strings.
bool is_foreign_punctuation(std::string_view at) {
  if (at.size() < 3) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at[i]); };
  const unsigned code = (byte(0) & 0x0fU) << 12U | (byte(1) & 0x3fU) << 6U | (byte(2) & 0x3fU);
  return (byte(0) & 0xf0U) == 0xe0 &&
         ((code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x3004) ||
          (code >= 0x3008 && code <= 0x3020) || (code >= 0xff01 && code <= 0xff0f) ||
          (code >= 0xff1a && code <= 0xff20) || code == 0xff3b || code == 0xff3d ||
          code == 0xfeff || (code >= 0xff5b && code <= 0xff65));
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source) {}

  PythonTokens run() {
    const std::string encoding = python_encoding(source_);
    is_utf8_ = is_any_of(encoding, {"utf-8", "utf8", "utf-8-sig", "utf_8"});
    double_bytes_ = has_double_bytes(encoding);
    if (is_utf8_ && !is_utf8(source_)) return failed("not UTF-8");
    if (!is_utf8_ && !double_bytes_ && !is_single_byte(encoding))
      return failed("unsupported encoding");
    if (source_.find('\0') != std::string_view::npos) return failed("not a text file");
    if (source_.starts_with("\xef\xbb\xbf")) at_ = 3;
    out_.tokens.reserve(source_.size() / 5);
    while (at_ < source_.size() && out_.problem.empty()) {
      if (!is_within_line_ && brackets_.empty())
        begin_line();
      else
        next();
    }
    if (out_.problem.empty() && !brackets_.empty()) fail("unclosed bracket");
    if (out_.problem.empty() && is_within_line_) end_line(0);
    return std::move(out_);
  }

 private:
  using Kind = PythonToken::Kind;

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void fail(std::string problem) {
    out_.problem = std::move(problem);
    out_.problem_line = line_;
  }
  // Fails for the whole text.
  PythonTokens failed(const char* problem) {
    out_.problem = problem;
    return std::move(out_);
  }

  void add(Kind kind, std::size_t size) {
    out_.tokens.push_back(
        {kind, static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(size), line_});
    at_ += size;
  }

  // The size of the line break at that distance; 0: no line break.
  std::size_t break_size(std::size_t ahead = 0) const {
    if (peek(ahead) == '\n') return 1;
    if (peek(ahead) != '\r') return 0;
    return peek(ahead + 1) == '\n' ? 2 : 1;
  }

  // Spaces before a statement; skips lines without one.
  void begin_line() {
    int column = 0;
    int alternative = 0;  // a tab as one column: both must agree
    for (;; ++at_) {
      if (peek() == ' ') {
        ++column;
        ++alternative;
      } else if (peek() == '\t') {
        column = (column / 8 + 1) * 8;
        ++alternative;
      } else if (peek() == '\f' && at_ < source_.size()) {
        column = alternative = 0;
      } else {
        break;
      }
    }
    if (at_ >= source_.size()) return;
    const bool is_comment = peek() == '#';
    if (is_comment) comment();
    const std::size_t size = break_size();
    if (size > 0 || is_comment) {
      add(Kind::line_break, size);
      ++line_;
      return;
    }
    if (at_ >= source_.size()) return;
    if (peek() == '\\') {  // continues on the next line
      next();
      if (!out_.problem.empty() || at_ >= source_.size()) return;
    }
    indent(column, alternative);
    out_.lines.push_back({static_cast<std::uint32_t>(out_.tokens.size()), 0, column});
    is_within_line_ = true;
  }

  void indent(int column, int alternative) {
    const bool is_less = column < indents_.back().column;
    while (indents_.size() > 1 && column < indents_.back().column) indents_.pop_back();
    if (column > indents_.back().column && !is_less) {
      if (alternative <= indents_.back().alternative || indents_.size() >= most_indents)
        return fail("inconsistent indentation");
      indents_.push_back({column, alternative});
    } else if (column != indents_.back().column || alternative != indents_.back().alternative) {
      fail("inconsistent indentation");
    }
  }

  void end_line(std::size_t size) {
    out_.lines.back().end = static_cast<std::uint32_t>(out_.tokens.size());
    add(Kind::line_end, size);
    if (size > 0) ++line_;
    is_within_line_ = false;
  }

  void comment() {
    std::size_t size = 0;
    while (at_ + size < source_.size() && break_size(size) == 0) size += character_size(size);
    add(Kind::comment, std::min(size, source_.size() - at_));
  }

  // The size of the character at that distance, if its bytes could be mistaken for others.
  std::size_t character_size(std::size_t ahead) const {
    return double_bytes_ && static_cast<unsigned char>(peek(ahead)) >= 0x81 ? 2 : 1;
  }

  void next() {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++at_;
    } else if (const std::size_t size = break_size(); size > 0) {
      if (brackets_.empty()) return end_line(size);
      add(Kind::line_break, size);
      ++line_;
    } else if (c == '#') {
      comment();
    } else if (c == '\\') {
      join_lines();
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(0);
    } else if (is_name_start(c)) {
      name();
    } else {
      op();
    }
  }

  void join_lines() {
    const std::size_t size = break_size(1);
    if (size == 0) return fail("a backslash is not at the end of its line");
    at_ += 1 + size;
    ++line_;
    if (at_ >= source_.size()) fail("the last line ends with a backslash");
  }

  void name() {
    std::size_t size = 0;
    while (is_name_part(peek(size)) && at_ + size < source_.size()) {
      if (is_utf8_ && is_foreign_punctuation(source_.substr(at_ + size, 3)))
        return fail("non-ASCII punctuation");
      size += character_size(size);
    }
    size = std::min(size, source_.size() - at_);
    const char after = peek(size);
    if (size <= 2 && (after == '"' || after == '\'')) {
      const std::string prefix = lower_case(source_.substr(at_, size));
      if (is_any_of(prefix, {"r", "u", "b", "f", "br", "rb", "fr", "rf"})) return string(size);
    }
    add(Kind::name, size);
  }

  void string(std::size_t prefix) {
    const char quote = peek(prefix);
    const bool is_triple = peek(prefix + 1) == quote && peek(prefix + 2) == quote;
    const std::size_t quotes = is_triple ? 3 : 1;
    std::size_t size = prefix + quotes;
    int breaks = 0;
    for (;;) {
      if (at_ + size >= source_.size()) return fail("unclosed string");
      const char c = peek(size);
      const std::size_t broken = break_size(size);
      if (c == '\\') {
        const std::size_t joined = break_size(size + 1);
        if (joined > 0) ++breaks;
        size += 1 + std::max(joined, character_size(size + 1));
      } else if (broken > 0) {
        if (!is_triple) return fail("unclosed string");
        ++breaks;
        size += broken;
      } else if (c == quote &&
                 (!is_triple || (peek(size + 1) == quote && peek(size + 2) == quote))) {
        size += quotes;
        break;
      } else {
        size += character_size(size);
      }
    }
    if (at_ + size > source_.size()) return fail("unclosed string");
    add(Kind::string, size);
    line_ += breaks;
  }

  std::size_t digits(std::size_t from, bool (*is_one)(char)) const {
    std::size_t size = from;
    while (is_one(peek(size)) || (peek(size) == '_' && is_one(peek(size + 1)))) ++size;
    return size;
  }

  void number() {
    std::size_t size = 0;
    const char mark = static_cast<char>(peek(1) | 0x20);
    if (peek() == '0' && (mark == 'x' || mark == 'o' || mark == 'b')) {
      const auto is_one = mark == 'x'   ? [](char c) { return is_digit(c) || (static_cast<char>(c | 0x20) >= 'a' && static_cast<char>(c | 0x20) <= 'f'); }
                          : mark == 'o' ? [](char c) { return c >= '0' && c <= '7'; }
                                        : [](char c) { return c == '0' || c == '1'; };
      size = digits(2, is_one);
      if (size == 2 || is_digit(peek(size))) return fail("invalid number");
      return add(Kind::number, size);
    }
    size = digits(0, is_digit);
    const std::size_t whole = size;
    bool is_float = false;
    if (peek(size) == '.') {
      is_float = true;
      size = digits(size + 1, is_digit);
    }
    if (static_cast<char>(peek(size) | 0x20) == 'e') {
      const std::size_t sign = peek(size + 1) == '+' || peek(size + 1) == '-' ? 1 : 0;
      if (is_digit(peek(size + 1 + sign))) {
        is_float = true;
        size = digits(size + 1 + sign, is_digit);
      }
    }
    if (static_cast<char>(peek(size) | 0x20) == 'j') {
      is_float = true;
      ++size;
    }
    const std::string_view before = source_.substr(at_, whole);
    if (!is_float && before.size() > 1 && before[0] == '0' &&
        before.find_first_not_of("0_") != std::string_view::npos)
      return fail("invalid number");
    add(Kind::number, size);
  }

  void op() {
    static constexpr std::array<std::string_view, 5> threes = {"**=", "//=", ">>=", "<<=", "..."};
    static constexpr std::array<std::string_view, 19> twos = {
        "**", "//", ">>", "<<", "<=", ">=", "==", "!=", "->", "+=",
        "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=", ":="};
    const std::string_view at = source_.substr(at_, 3);
    if (std::find(threes.begin(), threes.end(), at) != threes.end()) return add(Kind::op, 3);
    if (std::find(twos.begin(), twos.end(), at.substr(0, 2)) != twos.end()) return add(Kind::op, 2);
    const char c = peek();
    if (std::string_view("+-*/%@&|^~<>()[]{},:.;=").find(c) == std::string_view::npos)
      return fail("invalid character");
    if (c == '(' || c == '[' || c == '{') {
      if (brackets_.size() >= most_brackets) return fail("brackets nested too deeply");
      brackets_ += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (brackets_.empty() || brackets_.back() != c) return fail("unmatched bracket");
      brackets_.pop_back();
    }
    add(Kind::op, 1);
  }

  struct Indent {
    int column = 0;
    int alternative = 0;
  };

  std::string_view source_;
  PythonTokens out_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool is_utf8_ = true;
  bool double_bytes_ = false;
  bool is_within_line_ = false;
  std::string brackets_;  // closing brackets of the open ones
  std::vector<Indent> indents_ = {{}};
};

// "coding: NAME" or "coding=NAME" in a comment that fills its line (PEP 263).
std::string declared_in(std::string_view line) {
  line = trimmed(line);
  const auto at = line.find("coding");
  if (!line.starts_with('#') || at == std::string_view::npos) return {};
  line.remove_prefix(at + 6);
  if (!line.starts_with(':') && !line.starts_with('=')) return {};
  line = trimmed(line.substr(1));
  const auto end = std::find_if_not(line.begin(), line.end(),
                                    [](char c) { return is_name_part(c) || c == '-' || c == '.'; });
  std::string word = lower_case(line.substr(0, static_cast<std::size_t>(end - line.begin())));
  return word;
}

}  // namespace

PythonTokens python_tokens(std::string_view source) {
  return Tokenizer(source).run();
}

std::string python_encoding(std::string_view source) {
  for (int line = 0; line < 2; ++line) {
    const auto end = std::min(source.find_first_of("\r\n"), source.size());
    std::string word = declared_in(source.substr(0, end));
    if (!word.empty()) return word;
    const std::string_view first = trimmed(source.substr(0, end));
    // A second line counts only after a comment or an empty line.
    if (!first.empty() && !first.starts_with('#') && !first.starts_with("\xef\xbb\xbf")) break;
    source.remove_prefix(std::min(end + 1, source.size()));
    if (end < source.size() && source.starts_with('\n')) source.remove_prefix(1);
  }
  return "utf-8";
}

std::string plain_string(std::string_view literal) {
  const auto quote = literal.find_first_of("\"'");
  if (quote == std::string_view::npos) return {};
  const std::string prefix = lower_case(literal.substr(0, quote));
  if (!prefix.empty() && prefix != "u" && prefix != "r") return {};
  literal.remove_prefix(quote);
  const std::size_t quotes =
      literal.size() >= 6 && literal[1] == literal[0] && literal[2] == literal[0] ? 3 : 1;
  if (literal.size() < 2 * quotes) return {};
  literal = literal.substr(quotes, literal.size() - 2 * quotes);
  if (literal.find('\\') != std::string_view::npos) return {};
  return std::string(literal);
}

}  // namespace topsctl
