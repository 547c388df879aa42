// Splits shell scripts into tokens, as far as words, quotes, comments and here-documents require.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The context of a token. The script itself and substitutions contain commands.
enum class ShellLevel {
  script,
  substitution,  // $(...)
  backticks,
  arithmetic,  // $((...))
  parameter,   // ${...}
  single_quotes,
  ansi_quotes,  // $'...'
  double_quotes
};

// A part of the script as written. All tokens in order, without the ends of here-documents, are the
// whole script.
struct ShellToken {
  enum class Kind {
    text,               // of a word
    escape,             // a backslash and the character that it escapes
    variable,           // $NAME, $1, $?
    open,               // begins a level
    close,              // ends it; empty if a quote ends with the line
    blank,              // one or more
    newline,            // inside quotes, too
    continuation,       // a backslash before the end of a line
    comment,            // without the line end; also the line #!
    separator,          // ; & | && || ;; ( )
    redirection,        // > >> < >& &> and the like, without number and file
    here_document,      // << and the delimiter
    here_line,          // of a here-document, without the tabs that <<- strips
    here_document_end,  // the line with the delimiter
  };
  Kind kind = Kind::text;
  std::string_view text;
  ShellLevel level = ShellLevel::script;  // of `open` and `close`: the level that begins or ends
  int line = 0;                           // from 1
  std::size_t document = 0;  // of here_document and here_line: its index in the script, from 0

  bool is_among_commands() const { return level <= ShellLevel::backticks; }
  bool is_quoting() const { return level >= ShellLevel::single_quotes; }
  // The literal value of text and escapes.
  std::string_view literal() const;
};

bool is_name_character(char c);  // of $NAME

// Whether quotes and substitutions may continue after the end of a line.
enum class Quotes { go_on, end_with_line };

// One pass, no recursion. Follows substitutions up to a depth of 64.
class ShellLexer {
 public:
  explicit ShellLexer(std::string_view script, Quotes quotes = Quotes::go_on);

  std::optional<ShellToken> next();
  // The text after the last token.
  std::string_view rest() const { return script_.substr(at_); }
  // Whether all levels are closed; for the end of the script.
  bool is_balanced() const { return levels_.size() == 1; }

 private:
  struct Level {
    ShellLevel kind = ShellLevel::script;
    bool in_double_quotes = false;
    int parentheses = 0;
  };
  struct HereDocument {
    std::string delimiter;
    bool strips_tabs = false;
    std::size_t number = 0;
    std::size_t end = 0;  // offset of the line with the delimiter
  };

  const Level& level() const { return levels_.back(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0';
  }
  ShellToken taken(ShellToken::Kind kind, std::size_t length);
  ShellToken word(ShellToken::Kind kind, std::size_t length);
  ShellToken text_until(std::string_view others);
  ShellToken open(ShellLevel kind, std::size_t length);
  ShellToken close(std::size_t length);
  ShellToken newline();
  ShellToken backslash();
  ShellToken in_commands();
  ShellToken in_arithmetic();
  ShellToken in_parameter();
  ShellToken in_quotes();
  ShellToken expansion();
  ShellToken separator();
  ShellToken redirection();
  ShellToken here_document();
  ShellToken here_line();
  void find_here_documents();
  std::string_view line_at(std::size_t offset, bool strips_tabs) const;

  std::string_view script_;
  Quotes quotes_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool in_word_ = false;
  std::vector<Level> levels_ = {{}};
  std::vector<HereDocument> announced_;  // on the current line
  std::deque<HereDocument> found_;       // in their order, the next ones
  std::size_t documents_ = 0;
  int endless_ = 0;  // here-documents whose end was not found
};

}  // namespace topsctl
