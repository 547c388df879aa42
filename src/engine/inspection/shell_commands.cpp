// Cuts a line of a shell script into its simple commands.
#include "engine/inspection/shell_commands.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace topsctl {

namespace {

constexpr std::string_view shell_blanks = " \t\r";

bool is_keyword(std::string_view word) {
  constexpr std::array<std::string_view, 14> keywords = {"if",   "then", "elif",  "else",  "fi",
                                                         "do",   "done", "while", "until", "esac",
                                                         "time", "{",    "}",     "!"};
  return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

bool is_assignment(const ShellWord& word) {
  const auto equals = word.text.find('=');
  if (equals == std::string::npos || equals == 0) return false;
  return word.text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+") == equals;
}

class LineParser {
 public:
  explicit LineParser(std::string_view text) : text_(text) {}

  ShellLine parse() {
    while (at_ < text_.size()) step();
    end_command();
    line_.is_understood = line_.is_understood && depth_ == 0;
    return std::move(line_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (shell_blanks.find(c) != std::string_view::npos) {
      end_word();
      ++at_;
    } else if (c == '|') {
      end_command();
      ++at_;
    } else if (c == ';' || c == '&' || c == '\n') {
      end_command();
      pipeline_begin_ = line_.commands.size();
      ++at_;
    } else if (c == '(') {
      open();
    } else if (c == ')') {
      close();
    } else if (c == '>' || c == '<') {
      redirect();
    } else {
      take_of_word();
    }
  }

  ShellWord& word() {
    if (!word_) word_.emplace();
    return *word_;
  }

  // One character, quoted text or expansion.
  void take_of_word() {
    const char c = text_[at_];
    if (c == '\'') {
      take_quoted();
    } else if (c == '"') {
      take_double_quoted();
    } else if (c == '\\') {
      if (at_ + 1 < text_.size()) word().text.push_back(text_[at_ + 1]);
      at_ += 2;
    } else if (c == '$' || c == '`') {
      take_expansion();
    } else {
      const bool is_pattern = c == '*' || c == '?' || (c == '[' && word_ && !word_->text.empty());
      if (is_pattern || (c == '~' && !word_)) word().is_literal = false;
      word().text.push_back(c);
      ++at_;
    }
  }

  void take_quoted() {
    const auto end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return give_up();
    word().text += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
  }

  void take_double_quoted() {
    word();
    for (++at_; at_ < text_.size() && text_[at_] != '"';) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        word_->text.push_back(text_[at_ + 1]);
        at_ += 2;
      } else if (text_[at_] == '$' || text_[at_] == '`') {
        take_expansion();
      } else {
        word_->text.push_back(text_[at_++]);
      }
    }
    if (at_ >= text_.size()) return give_up();
    ++at_;
  }

  void take_expansion() {
    word().is_literal = false;
    if (text_[at_] == '`') {
      const auto end = text_.find('`', at_ + 1);
      if (end == std::string_view::npos) return give_up();
      add_nested(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
    } else if (text_.substr(at_).starts_with("$(")) {
      const std::size_t end = end_of_bracket(at_ + 1, '(', ')');
      if (end == std::string_view::npos) return give_up();
      const std::string_view inner = text_.substr(at_ + 2, end - at_ - 2);
      if (!inner.starts_with('(')) add_nested(inner);  // else it is arithmetic
      at_ = end + 1;
    } else if (text_.substr(at_).starts_with("${")) {
      const std::size_t end = end_of_bracket(at_ + 1, '{', '}');
      if (end == std::string_view::npos) return give_up();
      const std::string_view inner = text_.substr(at_ + 2, end - at_ - 2);
      if (inner.find('`') != std::string_view::npos || inner.find("$(") != std::string_view::npos)
        line_.is_understood = false;
      at_ = end + 1;
    } else {
      word_->text.push_back('$');
      ++at_;
    }
  }

  std::size_t end_of_bracket(std::size_t from, char open, char close) const {
    std::size_t depth = 0;
    for (std::size_t i = from; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '\'') {
        i = std::min(text_.find('\'', i + 1), text_.size());
      } else if (text_[i] == open) {
        ++depth;
      } else if (text_[i] == close && --depth == 0) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  void add_nested(std::string_view text) {
    ShellLine nested = LineParser(text).parse();
    line_.is_understood = line_.is_understood && nested.is_understood;
    for (ShellCommand& command : nested.commands) line_.commands.push_back(std::move(command));
    line_.variables.insert(line_.variables.end(), nested.variables.begin(), nested.variables.end());
  }

  void open() {
    const auto next = text_.find_first_not_of(shell_blanks, at_ + 1);
    if (next != std::string_view::npos && text_[next] == ')' &&
        (word_ || !command_.words.empty())) {
      end_word();
      line_.functions.push_back(command_.words.back().text);
      command_ = {};
      at_ = next + 1;
      return;
    }
    end_command();
    pipeline_begin_ = line_.commands.size();
    ++depth_;
    ++at_;
  }

  void close() {
    if (depth_ > 0) {
      end_command();
      --depth_;
    } else {
      // The pattern of a case, including earlier alternatives before a bar.
      word_.reset();
      command_ = {};
      line_.commands.resize(std::min(pipeline_begin_, line_.commands.size()));
    }
    pipeline_begin_ = line_.commands.size();
    ++at_;
  }

  void redirect() {
    const bool is_output = text_[at_] == '>';
    if (word_ && word_->text.find_first_not_of("0123456789") == std::string::npos) word_.reset();
    end_word();
    std::size_t end = at_;
    while (end < text_.size() &&
           (text_[end] == '>' || text_[end] == '<' || text_[end] == '|' || text_[end] == '-'))
      ++end;
    const bool is_descriptor = end < text_.size() && text_[end] == '&';
    at_ = is_descriptor ? end + 1 : end;
    if (at_ < text_.size() && text_[at_] == '(') return give_up();
    at_ = std::min(text_.find_first_not_of(shell_blanks, at_), text_.size());
    while (at_ < text_.size() &&
           std::string_view(" \t\r;&|<>()\n").find(text_[at_]) == std::string_view::npos)
      take_of_word();
    if (word_ && is_output && !is_descriptor) command_.targets.push_back(*word_);
    word_.reset();
  }

  void give_up() {
    line_.is_understood = false;
    at_ = text_.size();
  }

  void end_word() {
    if (!word_) return;
    ShellWord word = std::move(*word_);
    word_.reset();
    const bool is_first = command_.words.empty();
    if (is_first && word.is_literal && is_keyword(word.text)) return;
    if (is_first && is_assignment(word)) {
      line_.variables.push_back(word.text.substr(0, word.text.find_first_of("+=")));
      return;
    }
    command_.words.push_back(std::move(word));
  }

  void end_command() {
    end_word();
    ShellCommand command = std::move(command_);
    command_ = {};
    const std::string first = command.words.empty() ? "" : command.words.front().text;
    if (first == "for" && command.words.size() > 1)
      line_.variables.push_back(command.words[1].text);
    // Words that are looped over, or compared.
    if (first == "for" || first == "case") command.words.clear();
    if (!command.words.empty() || !command.targets.empty())
      line_.commands.push_back(std::move(command));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;           // of subshells
  std::size_t pipeline_begin_ = 0;  // its first command
  std::optional<ShellWord> word_;
  ShellCommand command_;
  ShellLine line_;
};

}  // namespace

ShellLine shell_line(std::string_view text) {
  return LineParser(text).parse();
}

}  // namespace topsctl
