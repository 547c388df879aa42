// Reads the assignments of a shell's start file.
#include "topsctl/engine/checks/shell_assignments.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "topsctl/base/text.hpp"
#include "topsctl/model/environment_settings.hpp"

namespace topsctl {

namespace {

// A part of a word: text, or an expansion as it is written.
struct Piece {
  std::string text;
  std::string variable;  // of $NAME and ${NAME}; else empty
  bool is_literal = true;
  bool is_guarded = false;  // ${NAME:+...}, ${NAME:-...} and their like
};

struct Word {
  std::vector<Piece> pieces;
  int line = 0;
  bool is_operator = false;

  std::string written() const {
    std::string text;
    for (const Piece& piece : pieces) text += piece.text;
    return text;
  }
  bool is(std::string_view text) const {
    return pieces.size() == 1 && pieces.front().is_literal && pieces.front().text == text;
  }
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Cuts a script into words and operators; one pass, no recursion.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::vector<Word> read() {
    while (at_ < text_.size()) step();
    end_word();
    return std::move(words_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  char take() {
    const char c = text_[at_++];
    if (c == '\n') ++line_;
    return c;
  }

  void begin_word() {
    if (in_word_) return;
    in_word_ = true;
    word_ = {{}, line_, false};
  }

  void literal(char c) {
    begin_word();
    if (word_.pieces.empty() || !word_.pieces.back().is_literal) word_.pieces.emplace_back();
    word_.pieces.back().text += c;
  }

  // Something quoted may be nothing, and is a word all the same.
  void quoted() {
    begin_word();
    if (word_.pieces.empty()) word_.pieces.emplace_back();
  }

  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    in_word_ = false;
  }

  void operator_word(std::string text, int line) {
    end_word();
    words_.push_back({{{std::move(text), "", true, false}}, line, true});
  }

  void step() {
    const char c = peek();
    if (is_blank(c)) {
      end_word();
      take();
    } else if (c == '\n') {
      const int line = line_;
      take();
      operator_word("\n", line);
      skip_here_documents();
    } else if (c == '#' && !in_word_) {
      while (at_ < text_.size() && peek() != '\n') take();
    } else if (c == '\\') {
      take();
      if (peek() == '\n') {
        take();
      } else if (at_ < text_.size()) {
        literal(take());
      }
    } else if (c == '\'') {
      take();
      quoted();
      while (at_ < text_.size() && peek() != '\'') literal(take());
      if (at_ < text_.size()) take();
    } else if (c == '"') {
      take();
      quoted();
      twofold();
    } else if (c == '$' || c == '`') {
      expansion();
    } else if (std::string_view(";&|()<>").find(c) != std::string_view::npos) {
      operator_character();
    } else {
      literal(take());
    }
  }

  void twofold() {
    while (at_ < text_.size() && peek() != '"') {
      const char c = peek();
      if (c == '\\' && std::string_view("$`\"\\\n").find(peek(1)) != std::string_view::npos &&
          peek(1) != '\0') {
        take();
        const char next = take();
        if (next != '\n') literal(next);
      } else if (c == '$' || c == '`') {
        expansion();
      } else {
        literal(take());
      }
    }
    if (at_ < text_.size()) take();
  }

  void operator_character() {
    const int line = line_;
    const char c = take();
    const bool is_here = c == '<' && peek() == '<' && peek(1) != '<';
    if (!is_here) {
      operator_word(std::string(1, c), line);
      return;
    }
    take();
    const bool strips = peek() == '-';
    if (strips) take();
    while (is_blank(peek())) take();
    std::string delimiter;
    while (at_ < text_.size() && !is_blank(peek()) && peek() != '\n' &&
           std::string_view(";&|()<>").find(peek()) == std::string_view::npos) {
      const char next = take();
      if (next != '\'' && next != '"' && next != '\\') delimiter += next;
    }
    operator_word("<<", line);
    if (!delimiter.empty()) here_.push_back({delimiter, strips});
  }

  void skip_here_documents() {
    for (const auto& [delimiter, strips] : here_) {
      while (at_ < text_.size()) {
        std::string row;
        while (at_ < text_.size() && peek() != '\n') row += take();
        if (at_ < text_.size()) take();
        if (strips) row.erase(0, row.find_first_not_of('\t'));
        if (row == delimiter) break;
      }
    }
    here_.clear();
  }

  // From '$' or '`' to the end of what it begins.
  void expansion() {
    begin_word();
    Piece piece;
    piece.is_literal = false;
    const std::size_t from = at_;
    const char first = take();
    if (first == '`') {
      while (at_ < text_.size() && peek() != '`') {
        if (peek() == '\\' && at_ + 1 < text_.size()) take();
        take();
      }
      if (at_ < text_.size()) take();
    } else if (peek() == '{' || peek() == '(') {
      balanced();
    } else if (is_name_character(peek())) {
      while (is_name_character(peek())) take();
    } else if (at_ < text_.size() &&
               std::string_view("@*#?$!-").find(peek()) != std::string_view::npos) {
      take();
    } else {
      literal('$');
      return;
    }
    piece.text = std::string(text_.substr(from, at_ - from));
    name_variable(piece);
    word_.pieces.push_back(std::move(piece));
  }

  static void name_variable(Piece& piece) {
    std::string_view inner = piece.text;
    if (!inner.starts_with('$')) return;
    inner.remove_prefix(1);
    if (inner.starts_with('(')) return;
    if (inner.starts_with('{') && inner.ends_with('}')) inner = inner.substr(1, inner.size() - 2);
    std::size_t length = 0;
    while (length < inner.size() && is_name_character(inner[length])) ++length;
    if (!is_variable_name(inner.substr(0, length))) return;
    piece.variable = std::string(inner.substr(0, length));
    piece.is_guarded = length < inner.size();
  }

  void balanced() {
    int depth = 0;
    char quote = '\0';
    while (at_ < text_.size()) {
      const char c = take();
      if (c == '\\' && quote != '\'') {
        if (at_ < text_.size()) take();
      } else if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '{' || c == '(') {
        ++depth;
      } else if (c == '}' || c == ')') {
        if (--depth == 0) return;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  Word word_;
  bool in_word_ = false;
  std::vector<Word> words_;
  std::vector<std::pair<std::string, bool>> here_;
};

constexpr std::array<std::string_view, 12> before_commands = {
    "then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "time", "fi"};
constexpr std::array<std::string_view, 5> declaring = {"export", "declare", "typeset", "readonly",
                                                       "local"};

class Assignments {
 public:
  explicit Assignments(const NameFilter& concerns) : concerns_(concerns) {}

  ShellAssignments read(std::string_view text) {
    std::vector<Word> command;
    for (Word& word : Words(text).read()) {
      if (!word.is_operator) {
        command.push_back(std::move(word));
        continue;
      }
      const std::string sign = word.written();
      if (sign == "<" || sign == ">" || sign == "<<") continue;
      end_command(command);
      command.clear();
    }
    end_command(command);
    return std::move(found_);
  }

 private:
  template <std::size_t Size>
  static bool is_one_of(const Word& word, const std::array<std::string_view, Size>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view each) { return word.is(each); });
  }

  // NAME of "NAME=..."; empty: it is no assignment.
  static std::string assigned_name(const Word& word) {
    if (word.pieces.empty() || !word.pieces.front().is_literal) return {};
    const std::string& text = word.pieces.front().text;
    const auto equals = text.find('=');
    if (equals == std::string::npos) return {};
    std::string name = text.substr(0, equals);
    return is_variable_name(name) ? name : std::string();
  }

  void end_command(const std::vector<Word>& words) {
    auto at = words.begin();
    while (at != words.end() && is_one_of(*at, before_commands)) ++at;
    if (at == words.end()) return;
    if (at->is("[") || at->is("test") || at->is("[[")) {
      for (; at != words.end(); ++at) note_test(*at);
      return;
    }
    const bool declares = is_one_of(*at, declaring);
    if (!declares) {
      // Assignments in front of a command are that command's alone.
      const auto no_assignment = std::find_if(
          at, words.end(), [](const Word& word) { return assigned_name(word).empty(); });
      if (no_assignment != words.end()) return;
    }
    for (; at != words.end(); ++at) {
      if (!assigned_name(*at).empty()) assign(*at);
    }
  }

  void note_test(const Word& word) {
    for (const Piece& piece : word.pieces) {
      if (!piece.variable.empty()) found_.tested.insert(piece.variable);
    }
    found_.tested.insert(value_of(word, 0, "").value);
  }

  // What stands behind the first `skipped` characters, with what is known put in.
  Assignment value_of(const Word& word, std::size_t skipped, const std::string& own) const {
    Assignment assignment;
    std::string& value = assignment.value;
    bool follows_self = false;
    for (const Piece& piece : word.pieces) {
      if (piece.is_literal) {
        const std::string text = piece.text.substr(std::min(skipped, piece.text.size()));
        if (follows_self && text.starts_with(':')) assignment.appends_bare = true;
        value += text;
        follows_self = follows_self && text.empty();
      } else {
        const auto known = values_.find(piece.variable);
        const bool is_own = !own.empty() && piece.variable == own;
        if (!piece.variable.empty() && !piece.is_guarded && known != values_.end()) {
          value += known->second;
          follows_self = false;
        } else {
          if (is_own && !piece.is_guarded && value.ends_with(':')) assignment.appends_bare = true;
          follows_self = is_own && !piece.is_guarded;
          if (!is_own) assignment.is_known = false;
          value += piece.text;
        }
      }
      skipped = 0;
    }
    return assignment;
  }

  void assign(const Word& word) {
    const std::string name = assigned_name(word);
    Assignment assignment = value_of(word, name.size() + 1, name);
    assignment.name = name;
    assignment.line = word.line;
    if (found_.tested.contains(name)) assignment.appends_bare = false;
    const bool is_whole = assignment.is_known && assignment.value.find('$') == std::string::npos;
    if (is_whole) {
      values_[name] = assignment.value;
    } else {
      values_.erase(name);
    }
    if (concerns_(name)) found_.assignments.push_back(std::move(assignment));
  }

  const NameFilter& concerns_;
  std::map<std::string, std::string> values_;
  ShellAssignments found_;
};

}  // namespace

ShellAssignments shell_assignments(std::string_view text, const NameFilter& concerns) {
  return Assignments(concerns).read(text);
}

}  // namespace topsctl
