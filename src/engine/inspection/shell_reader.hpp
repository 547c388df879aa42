// Reads a shell script as far as quotes, comments, here-documents and printed words need it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/inspection/script_lines.hpp"

namespace topsctl {

// Whether quotes may go on over the end of a line.
enum class Quotes { go_on, end_with_line };

// The reader behind script_lines(): one pass, no recursion, memory a small multiple of the script.
class ShellReader {
 public:
  ShellReader(std::string_view script, Quotes quotes);  // the script must outlive it

  void read();
  // Whether all quotes and substitutions were closed, so that the script was understood.
  bool is_balanced() const { return levels_.size() == 1; }
  // The lines as script_lines() has them; after read().
  std::vector<ScriptLine> lines() const;

 private:
  struct Extent {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  // One level of quoting. The outermost level and substitutions hold commands.
  struct Level {
    enum class Kind { commands, substitution, backticks, arithmetic, single, ansi, twofold };
    Kind kind = Kind::commands;
    int parentheses = 0;
    // Of the current simple command:
    std::string word;
    bool in_word = false;
    bool has_command = false;
    bool is_target = false;  // the word is where a redirection goes
    bool prints = false;
    bool is_cat = false;
    bool is_kept = false;  // what it prints goes somewhere
    bool after_pipe = false;
    std::vector<Extent> printed;

    bool holds_commands() const {
      return kind == Kind::commands || kind == Kind::substitution || kind == Kind::backticks;
    }
  };

  struct HereDocument {
    std::string delimiter;
    bool strips_tabs = false;
    bool is_printed = false;
    bool of_current_command = true;
  };

  struct Start {
    std::size_t offset = 0;  // in out_
    int number = 0;
  };

  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  Level& level() { return levels_.back(); }
  Level& command_level();
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0';
  }
  void put(std::size_t count = 1);
  void enter(Level::Kind kind);
  void leave();
  void step();
  void step_in_quotes();
  void step_in_command();
  bool step_over_substitution();
  void backslash();
  void end_line();
  void end_word();
  void end_command(bool prints_only);
  void separator();
  void redirection();
  void here_document_begin();
  void here_documents();

  std::string_view script_;
  Quotes quotes_;
  std::size_t at_ = 0;
  int number_ = 1;
  std::string out_;
  std::vector<Level> levels_;
  std::vector<Start> starts_;
  std::vector<Extent> blanked_;
  std::vector<HereDocument> pending_;
  int endless_ = 0;  // here-documents whose end was not found
};

}  // namespace topsctl
