// Splits scripts into lines, by their language.
#include "engine/inspection/script_lines.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/inspection/printing_functions.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/shell_lexer.hpp"

namespace topsctl {

namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_assignment(std::string_view word) {
  const auto equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 && word.find_first_of("'\"$/") >= equals;
}

// Words before a command.
bool is_prefix(std::string_view word) {
  return is_assignment(word) || is_one_of(word, {"if", "then", "else", "elif", "while", "until",
                                                 "do", "!", "{", "time", "command", "builtin"});
}

// Two consecutive ones are typographic quotes and run nothing.
bool has_backtick(std::string_view text) {
  for (auto at = text.find('`'); at != text.npos; at = text.find('`', at + 2)) {
    if (at + 1 == text.size() || text[at + 1] != '`') return true;
  }
  return false;
}

// Whether the output is only shown and not stored; `target` follows the redirection.
bool is_on_screen(std::string_view redirection, std::string_view target) {
  target.remove_prefix(std::min(target.find_first_not_of(" \t\r"), target.size()));
  const bool to_descriptor = redirection.size() > 1 && redirection.ends_with('&') &&
                             !target.empty() &&
                             (is_digits(target.substr(0, 1)) || target[0] == '-');
  return to_descriptor || target.starts_with("/dev/null") || target.starts_with("/dev/stderr") ||
         target.starts_with("/dev/stdout") || target.starts_with("/dev/tty") ||
         target.starts_with("/dev/console");
}

// Keeps the effective parts of a script; memory is a small multiple of the script.
class ScriptText {
 public:
  ScriptText(std::string_view script, Quotes quotes)
      : lexer_(script, quotes), printing_(printing_functions(script)) {
    while (const auto token = lexer_.next()) take(*token);
    end_command(true);
  }

  // Whether all quotes and substitutions were closed, so that the parse is reliable.
  bool is_balanced() const { return lexer_.is_balanced(); }

  std::vector<ScriptLine> lines() && {
    for (const Extent& extent : blanked_) {
      std::fill_n(out_.begin() + static_cast<std::ptrdiff_t>(extent.begin),
                  extent.end - extent.begin, ' ');
    }
    std::vector<ScriptLine> lines;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const std::size_t end = i + 1 < starts_.size() ? starts_[i + 1].offset : out_.size();
      std::string line = out_.substr(starts_[i].offset, end - starts_[i].offset);
      if (!trimmed(line).empty()) lines.push_back({starts_[i].number, std::move(line)});
    }
    return lines;
  }

 private:
  struct Extent {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  struct Start {
    std::size_t offset = 0;  // in out_
    int number = 0;
  };

  struct Command {
    std::string word;
    bool in_word = false;
    bool has_name = false;
    bool is_target = false;  // the word is the target of a redirection
    bool prints = false;
    bool is_cat = false;
    bool is_kept = false;  // its output is stored or processed
    bool after_pipe = false;
    std::vector<Extent> printed;
  };

  Command& command() { return commands_.back(); }

  void take(const ShellToken& token) {
    switch (token.kind) {
      case ShellToken::Kind::text:
      case ShellToken::Kind::escape:
      case ShellToken::Kind::variable:
        return put_in_word(token, token.literal());
      case ShellToken::Kind::open:
        return put_in_word(token, token.is_quoting() ? "" : token.text);
      case ShellToken::Kind::close:
        if (token.is_among_commands()) end_command(false);
        put(token.text);
        if (token.is_among_commands()) commands_.pop_back();
        break;
      case ShellToken::Kind::blank:
        end_word();
        put(token.text);
        break;
      case ShellToken::Kind::comment:
        if (token.line == 1 && out_.empty() && token.text.starts_with("#!")) put(token.text);
        break;
      case ShellToken::Kind::separator:
        end_command(token.text != "|");
        put(token.text);
        command().after_pipe = token.text == "|";
        break;
      case ShellToken::Kind::redirection:
      case ShellToken::Kind::here_document:
        redirect(token);
        break;
      case ShellToken::Kind::newline:
        end_line(token);
        break;
      case ShellToken::Kind::here_line:
        take_here_line(token);
        break;
      case ShellToken::Kind::here_document_end:
        starts_.push_back({out_.size(), token.line + 1});
        break;
      case ShellToken::Kind::continuation:
        break;
    }
  }

  // Adds characters unchanged.
  void put(std::string_view text) {
    Command& current = command();
    if (current.prints) {
      if (current.printed.empty() || current.printed.back().end != out_.size())
        current.printed.push_back({out_.size(), out_.size()});
      current.printed.back().end += text.size();
    }
    out_.append(text);
  }

  void put_in_word(const ShellToken& token, std::string_view literal) {
    command().in_word = true;
    command().word += literal;
    if (token.kind == ShellToken::Kind::open && token.is_among_commands()) commands_.emplace_back();
    put(token.text);
  }

  void end_word() {
    Command& current = command();
    if (!current.in_word) return;
    const std::string word = std::exchange(current.word, {});
    current.in_word = false;
    current.after_pipe = false;
    if (std::exchange(current.is_target, false) || current.has_name || is_prefix(word)) return;
    current.has_name = true;
    current.prints = is_printer(word) || printing_.contains(word);
    current.is_cat = word == "cat" || word == "/bin/cat";
  }

  // `prints_only`: the output of the command is only shown.
  void end_command(bool prints_only) {
    end_word();
    Command& ended = command();
    const bool harmless = prints_only && !ended.is_kept && commands_.size() == 1;
    if (harmless) blanked_.insert(blanked_.end(), ended.printed.begin(), ended.printed.end());
    for (; decided_ < is_printed_.size(); ++decided_)
      is_printed_[decided_] = harmless && ended.is_cat;
    ended = {};
  }

  void redirect(const ShellToken& token) {
    // "2" of "2>&1" is not a word.
    if (!is_digits(command().word)) end_word();
    Command& current = command();
    current.in_word = false;
    current.word.clear();
    put(token.text);
    if (token.kind == ShellToken::Kind::here_document) {
      is_printed_.push_back(false);
      return;
    }
    current.is_target = true;
    if (!token.text.starts_with('<') && !is_on_screen(token.text, lexer_.rest()))
      current.is_kept = true;
  }

  void end_line(const ShellToken& token) {
    if (token.is_among_commands()) {
      end_word();
      if (command().after_pipe) {
        out_.push_back(' ');
        return;
      }
      end_command(true);
    }
    starts_.push_back({out_.size(), token.line + 1});
  }

  void take_here_line(const ShellToken& token) {
    const std::string_view text = trimmed(token.text);
    const bool is_comment = text.starts_with('#') && !text.starts_with("#!");
    const bool runs = text.find("$(") != text.npos || has_backtick(text);
    if (is_comment || (is_printed_[token.document] && !runs)) return;
    starts_.push_back({out_.size(), token.line});
    out_.append(token.text);
  }

  ShellLexer lexer_;
  std::set<std::string, std::less<>> printing_;  // functions
  std::string out_;
  std::vector<Command> commands_ = {{}};  // the current one of the script and of each substitution
  std::vector<Start> starts_ = {{0, 1}};
  std::vector<Extent> blanked_;
  std::vector<bool> is_printed_;  // for each here-document: whether it is only shown
  std::size_t decided_ = 0;       // the earlier ones belong to commands that have ended
};

std::string flattened(std::string_view line) {
  std::string out(line);
  for (char& c : out) {
    if (std::string_view("'\",[]").find(c) != std::string_view::npos) c = ' ';
  }
  return out;
}

}  // namespace

ScriptLanguage script_language(std::string_view script) {
  if (!script.starts_with("#!")) return ScriptLanguage::shell;
  std::string_view line = trimmed(script.substr(2, script.find('\n') - 2));
  std::vector<std::string> words;
  for (std::string& word : split(line, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  const auto base = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  if (words.empty()) return ScriptLanguage::shell;
  const std::string_view first = base(words[0]);
  const bool is_second = words.size() > 1 && (first == "env" || first == "busybox");
  static const std::set<std::string_view> shells = {"sh",   "bash", "dash", "ksh",
                                                    "mksh", "zsh",  "ash"};
  const std::string_view interpreter = is_second ? base(words[1]) : first;
  return shells.contains(interpreter) ? ScriptLanguage::shell : ScriptLanguage::other;
}

std::vector<ScriptLine> script_lines(std::string_view script) {
  if (script_language(script) == ScriptLanguage::shell) {
    ScriptText text(script, Quotes::go_on);
    if (!text.is_balanced()) text = ScriptText(script, Quotes::end_with_line);
    return std::move(text).lines();
  }
  std::vector<ScriptLine> lines;
  for (ScriptLine& line : ScriptText(script, Quotes::end_with_line).lines()) {
    const std::string flat = flattened(line.text);
    const bool differs = flat != line.text;
    const int number = line.number;
    lines.push_back(std::move(line));
    if (differs) lines.push_back({number, flat});
  }
  return lines;
}

}  // namespace topsctl
