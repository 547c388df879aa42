// Reads the assignments of a shell's start file.
#include "topsctl/engine/checks/shell_assignments.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/shell_lexer.hpp"
#include "topsctl/model/environment_settings.hpp"

namespace topsctl {

namespace {

// A part of a word: text, or an expansion as written.
struct Piece {
  std::string text;
  std::string variable;  // of $NAME and ${NAME}; else empty
  bool is_literal = true;
  bool is_guarded = false;  // ${NAME:+...}, ${NAME:-...} and their like
};

struct Word {
  std::vector<Piece> pieces;
  int line = 0;

  bool is(std::string_view text) const {
    return pieces.size() == 1 && pieces.front().is_literal && pieces.front().text == text;
  }
};

Piece expansion(std::string_view written) {
  Piece piece{std::string(written), {}, false, false};
  if (!written.starts_with('$') || written.starts_with("$(")) return piece;
  written.remove_prefix(1);
  if (written.starts_with('{') && written.ends_with('}'))
    written = written.substr(1, written.size() - 2);
  const auto is_outside = [](char c) { return !is_name_character(c); };
  const auto end = std::find_if(written.begin(), written.end(), is_outside);
  const std::string_view name = written.substr(0, static_cast<std::size_t>(end - written.begin()));
  if (!is_variable_name(name)) return piece;
  piece.variable = name;
  piece.is_guarded = name.size() < written.size();
  return piece;
}

// Total bytes of one file's expansions: A=$A$A doubles each time.
constexpr std::size_t most_expanded = std::size_t{4} << 20U;
constexpr std::array<std::string_view, 12> before_commands = {
    "then", "do", "else", "elif", "if", "while", "until", "!", "{", "}", "time", "fi"};
constexpr std::array<std::string_view, 5> declaring = {"export", "declare", "typeset", "readonly",
                                                       "local"};

class Assignments {
 public:
  Assignments(std::string_view text, const NameFilter& concerns)
      : text_(text), concerns_(concerns) {}

  ShellAssignments read() {
    ShellLexer lexer(text_);
    while (const auto token = lexer.next()) take(*token);
    if (levels_ > 0) end_expansion(text_.end());
    end_command();
    return std::move(found_);
  }

 private:
  void take(const ShellToken& token) {
    using Kind = ShellToken::Kind;
    if (levels_ > 0) return take_in_expansion(token);
    switch (token.kind) {
      case Kind::text:
      case Kind::escape:
        return add_text(token, token.literal());
      case Kind::variable:
        begin_word(token).pieces.push_back(expansion(token.text));
        break;
      case Kind::open:
        // Quotes may be empty, but still form a word.
        if (token.is_quoting()) return add_text(token, "");
        begin_word(token);
        expansion_begins_ = token.text.begin();
        levels_ = 1;
        break;
      case Kind::newline:
        if (!token.is_among_commands()) return add_text(token, token.text);
        end_command();
        break;
      case Kind::separator:
        end_command();
        break;
      case Kind::redirection:
      case Kind::here_document:
        redirect(token);
        break;
      case Kind::blank:
        end_word();
        break;
      default:
        break;
    }
  }

  // The content of an expansion is kept as written.
  void take_in_expansion(const ShellToken& token) {
    if (token.kind == ShellToken::Kind::open) ++levels_;
    if (token.kind == ShellToken::Kind::close && --levels_ == 0) end_expansion(token.text.end());
  }

  void end_expansion(std::string_view::const_iterator end) {
    levels_ = 0;
    word_.pieces.push_back(expansion({expansion_begins_, end}));
  }

  Word& begin_word(const ShellToken& token) {
    if (!std::exchange(in_word_, true)) word_ = {{}, token.line};
    return word_;
  }

  void add_text(const ShellToken& token, std::string_view text) {
    std::vector<Piece>& pieces = begin_word(token).pieces;
    if (pieces.empty() || (!pieces.back().is_literal && !text.empty())) pieces.emplace_back();
    pieces.back().text += text;
  }

  void end_word() {
    if (!std::exchange(in_word_, false)) return;
    if (!std::exchange(is_target_, false)) command_.push_back(std::move(word_));
  }

  // The number before it and the file after it are not words of the command.
  void redirect(const ShellToken& token) {
    const bool is_number = in_word_ && word_.pieces.size() == 1 &&
                           word_.pieces.front().is_literal && is_digits(word_.pieces.front().text);
    if (is_number) in_word_ = false;
    end_word();
    is_target_ = token.kind == ShellToken::Kind::redirection;
  }

  template <std::size_t Size>
  static bool is_one_of(const Word& word, const std::array<std::string_view, Size>& words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view each) { return word.is(each); });
  }

  // NAME of "NAME=..."; empty: not an assignment.
  static std::string assigned_name(const Word& word) {
    if (word.pieces.empty() || !word.pieces.front().is_literal) return {};
    const std::string& text = word.pieces.front().text;
    const auto equals = text.find('=');
    if (equals == std::string::npos) return {};
    std::string name = text.substr(0, equals);
    return is_variable_name(name) ? name : std::string();
  }

  void end_command() {
    end_word();
    is_target_ = false;
    judge(command_);
    command_.clear();
  }

  void judge(const std::vector<Word>& words) {
    auto at = words.begin();
    while (at != words.end() && is_one_of(*at, before_commands)) ++at;
    if (at == words.end()) return;
    if (at->is("[") || at->is("test") || at->is("[[")) {
      for (; at != words.end(); ++at) note_test(*at);
      return;
    }
    const bool declares = is_one_of(*at, declaring);
    if (!declares) {
      // Assignments before a command apply only to that command.
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

  // The text after the first `skipped` characters, with known variables expanded.
  Assignment value_of(const Word& word, std::size_t skipped, const std::string& own) {
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
        if (!piece.variable.empty() && !piece.is_guarded && known != values_.end() &&
            known->second.size() <= room_) {
          room_ -= known->second.size();
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

  std::string_view text_;
  const NameFilter& concerns_;
  std::vector<Word> command_;
  Word word_;
  bool in_word_ = false;
  bool is_target_ = false;  // the word is the target of a redirection
  std::size_t levels_ = 0;  // of the expansion that is not over
  std::string_view::const_iterator expansion_begins_ = {};
  std::map<std::string, std::string> values_;
  std::size_t room_ = most_expanded;  // for values that expansions put in
  ShellAssignments found_;
};

}  // namespace

ShellAssignments shell_assignments(std::string_view text, const NameFilter& concerns) {
  return Assignments(text, concerns).read();
}

}  // namespace topsctl
