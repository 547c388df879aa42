// Splits scripts into commands, and compares their words.
#include "engine/diagnosis/shell_rewrites.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/shell_lexer.hpp"

namespace topsctl {

namespace {

struct ShellWord {
  std::size_t begin = 0;
  std::size_t end = 0;
  int line = 0;
};

using ShellCommand = std::vector<ShellWord>;
using HoleTexts = std::map<std::string, std::string>;

// Commands in the order of their ends; those in substitutions are separate commands.
class CommandReader {
 public:
  explicit CommandReader(std::string_view script) : script_(script), lexer_(script) {}

  std::vector<ShellCommand> run() {
    while (const auto token = lexer_.next()) take(*token);
    while (!frames_.empty()) {
      end_command();
      frames_.pop_back();
    }
    return std::move(commands_);
  }

 private:
  using Kind = ShellToken::Kind;
  struct Frame {
    ShellCommand words;
    std::optional<ShellWord> word;
    int quoting = 0;  // levels that are part of the word
  };

  static bool holds_commands(ShellLevel level) {
    return level == ShellLevel::substitution || level == ShellLevel::backticks;
  }

  void take(const ShellToken& token) {
    const std::size_t begin = static_cast<std::size_t>(token.text.data() - script_.data());
    const std::size_t end = begin + token.text.size();
    Frame& frame = frames_.back();
    if (token.kind == Kind::open) {
      extend(begin, end, token.line);
      if (holds_commands(token.level))
        frames_.emplace_back();
      else
        ++frame.quoting;
    } else if (token.kind == Kind::close) {
      if (holds_commands(token.level) && frames_.size() > 1) {
        end_command();
        frames_.pop_back();
      } else if (frame.quoting > 0) {
        --frame.quoting;
      }
      if (!token.text.empty()) extend(begin, end, token.line);
    } else if (frame.quoting > 0 || token.kind == Kind::text || token.kind == Kind::escape ||
               token.kind == Kind::variable) {
      extend(begin, end, token.line);
    } else if (token.kind == Kind::comment) {
      end_word();
      take_directive(begin, token);
    } else if (token.kind == Kind::blank || token.kind == Kind::continuation) {
      end_word();
    } else if (token.kind == Kind::newline || token.kind == Kind::separator) {
      end_command();
    } else {
      end_word();  // redirections and here-documents
    }
  }

  // "#SBATCH --gres=gpu:8" and the like are words of a command for the scheduler.
  void take_directive(std::size_t begin, const ShellToken& token) {
    static constexpr std::array<std::string_view, 3> marks = {"#SBATCH ", "#PBS ", "#BSUB "};
    if (std::none_of(marks.begin(), marks.end(),
                     [&](std::string_view mark) { return token.text.starts_with(mark); }))
      return;
    ShellCommand words;
    for (std::size_t at = 0; at < token.text.size();) {
      const std::size_t end = std::min(token.text.find(' ', at), token.text.size());
      if (end > at) words.push_back({begin + at, begin + end, token.line});
      at = end + 1;
    }
    commands_.push_back(std::move(words));
  }

  void extend(std::size_t begin, std::size_t end, int line) {
    auto& word = frames_.back().word;
    if (!word) word = ShellWord{begin, end, line};
    word->end = std::max(word->end, end);
  }

  void end_word() {
    Frame& frame = frames_.back();
    if (frame.word) frame.words.push_back(*frame.word);
    frame.word.reset();
  }

  void end_command() {
    end_word();
    Frame& frame = frames_.back();
    if (!frame.words.empty()) commands_.push_back(std::move(frame.words));
    frame.words.clear();
  }

  std::string_view script_;
  ShellLexer lexer_;
  std::vector<Frame> frames_ = {{}};
  std::vector<ShellCommand> commands_;
};

std::size_t hole_end(std::string_view pattern, std::size_t at) {
  while (at < pattern.size() && is_name_character(pattern[at])) ++at;
  return at;
}

// A hole ends at the first occurrence of the text after it.
bool word_matches(std::string_view pattern, std::string_view word, HoleTexts& holes) {
  while (!pattern.empty()) {
    if (pattern[0] != '$') {
      if (word.empty() || word[0] != pattern[0]) return false;
      pattern.remove_prefix(1);
      word.remove_prefix(1);
      continue;
    }
    const std::size_t end = hole_end(pattern, 1);
    const std::string_view next = pattern.substr(end);
    const std::size_t size = next.empty() ? word.size() : word.find(next.substr(0, next.find('$')));
    if (size == std::string_view::npos) return false;
    holes[std::string(pattern.substr(1, end - 1))] = word.substr(0, size);
    pattern = next;
    word.remove_prefix(size);
  }
  return word.empty();
}

std::string filled_word(std::string_view text, const HoleTexts& holes) {
  std::string out;
  while (!text.empty()) {
    if (text[0] != '$') {
      out += text[0];
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = hole_end(text, 1);
    const auto hole = holes.find(std::string(text.substr(1, end - 1)));
    if (hole != holes.end()) out += hole->second;
    text.remove_prefix(end);
  }
  return out;
}

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

class ShellRewriter::Search {
 public:
  Search(const ShellRewriter& rewriter, std::string_view script, const ProjectFacts& project)
      : rewriter_(rewriter), script_(script), project_(project) {}

  FoundRewrites run() {
    const std::vector<ShellCommand> commands = CommandReader(script_).run();
    for (const Compiled& compiled : rewriter_.rewrites_) {
      if (is_excluded(compiled, commands)) continue;
      for (const ShellCommand& command : commands) look(compiled, command);
    }
    std::stable_sort(found_.hits.begin(), found_.hits.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    return std::move(found_);
  }

 private:
  std::string_view text(const ShellWord& word) const {
    return script_.substr(word.begin, word.end - word.begin);
  }

  bool is_excluded(const Compiled& compiled, const std::vector<ShellCommand>& commands) const {
    if (compiled.unless_word.empty()) return false;
    return std::any_of(commands.begin(), commands.end(), [&](const ShellCommand& command) {
      return std::any_of(command.begin(), command.end(), [&](const ShellWord& word) {
        return compiled.unless_word.front().matches(text(word));
      });
    });
  }

  bool has_one_of(const ShellCommand& command, const std::vector<std::string>& wanted) const {
    return std::any_of(command.begin(), command.end(), [&](const ShellWord& word) {
      return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& each) {
        return each.ends_with('*') ? text(word).starts_with(each.substr(0, each.size() - 1))
                                   : base_name(text(word)) == each;
      });
    });
  }

  bool is_meant(const Compiled& compiled, const HoleTexts& holes) const {
    for (const auto& [name, pattern] : compiled.holes) {
      const auto hole = holes.find(name);
      if (hole == holes.end() || !pattern.matches(hole->second)) return false;
    }
    if (!compiled.rewrite.needs_group) return true;
    const auto script = holes.find("script");
    return script != holes.end() && project_.group_scripts.contains(base_name(script->second));
  }

  bool is_unknown(const std::string& file, std::string_view text) const {
    const auto known = project_.texts.find(file);
    return known != project_.texts.end() && known->second.find(text) == std::string::npos;
  }

  // As a whole word, or between blanks inside a quoted one.
  void look_for_option(const Compiled& compiled, const ShellCommand& command) {
    const std::string& option = compiled.rewrite.patterns.front();
    if (!is_unknown(compiled.rewrite.unknown_to, option)) return;
    const auto is_part = [](char c) { return is_name_character(c) || c == '-'; };
    for (std::size_t i = 0; i < command.size(); ++i) {
      const std::string_view word = text(command[i]);
      for (auto at = word.find(option); at != std::string_view::npos;
           at = word.find(option, at + 1)) {
        const std::size_t end = at + option.size();
        if ((at > 0 && is_part(word[at - 1])) || (end < word.size() && is_part(word[end])))
          continue;
        const auto line =
            std::count(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        const ShellWord place{command[i].begin + at, command[i].begin + end,
                              command[i].line + static_cast<int>(line)};
        take(compiled.rewrite, {place}, 0, 1, {});
      }
    }
  }

  void look(const Compiled& compiled, const ShellCommand& command) {
    const Rewrite& rewrite = compiled.rewrite;
    if (!rewrite.unknown_to.empty()) return look_for_option(compiled, command);
    if (!rewrite.commands.empty() && !has_one_of(command, rewrite.commands)) return;
    for (const auto& pattern : compiled.patterns) {
      if (rewrite.is_statement && command.size() != pattern.size()) continue;
      for (std::size_t at = 0; at + pattern.size() <= command.size(); ++at) {
        HoleTexts holes;
        bool is_match = true;
        for (std::size_t i = 0; i < pattern.size() && is_match; ++i)
          is_match = word_matches(pattern[i], text(command[at + i]), holes);
        if (is_match && is_meant(compiled, holes))
          take(rewrite, command, at, pattern.size(), holes);
      }
    }
  }

  void take(const Rewrite& rewrite, const ShellCommand& command, std::size_t at, std::size_t size,
            const HoleTexts& holes) {
    const ShellWord& first = command[at];
    // A command that matches as a whole has been reported already.
    const bool is_known = std::any_of(
        found_.hits.begin(), found_.hits.end(),
        [&](const SourceHit& hit) { return hit.id == rewrite.id && hit.line == first.line; });
    if (is_known) return;
    SourceHit hit;
    hit.id = rewrite.id;
    hit.handling = rewrite.handling;
    hit.line = first.line;
    hit.text = line_around(script_, first.begin);
    hit.has_rewrite = rewrite.changes();
    hit.is_certain = rewrite.is_certain;
    hit.is_applied = hit.has_rewrite && (hit.is_certain || rewriter_.accepted_.contains(hit.id));
    found_.hits.push_back(hit);
    if (!hit.is_applied) return;
    const std::vector<std::string> words = split(rewrite.replacement, ' ');
    if (words.size() != size) {
      std::string made = filled_word(rewrite.replacement, holes);
      found_.edits.push_back(
          {first.begin, command[at + size - 1].end - first.begin, std::move(made)});
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const ShellWord& word = command[at + i];
      std::string made = filled_word(words[i], holes);
      if (made != text(word))
        found_.edits.push_back({word.begin, word.end - word.begin, std::move(made)});
    }
  }

  const ShellRewriter& rewriter_;
  std::string_view script_;
  const ProjectFacts& project_;
  FoundRewrites found_;
};

ShellRewriter::ShellRewriter(const std::vector<Rewrite>& rewrites, std::set<std::string> accepted)
    : accepted_(std::move(accepted)) {
  for (const Rewrite& rewrite : rewrites) {
    if (rewrite.language != Rewrite::Language::shell) continue;
    Compiled compiled{rewrite, {}, {}, {}};
    if (!rewrite.unless_word.empty())
      compiled.unless_word.emplace_back(concat("^(?:", rewrite.unless_word, ")$"));
    for (const std::string& pattern : rewrite.patterns)
      compiled.patterns.push_back(split(pattern, ' '));
    for (const auto& [name, expression] : rewrite.holes)
      compiled.holes.emplace_back(name, Pattern(concat("^(?:", expression, ")$")));
    rewrites_.push_back(std::move(compiled));
  }
}

bool ShellRewriter::asks_of(std::string_view file) const {
  return std::any_of(rewrites_.begin(), rewrites_.end(), [&](const Compiled& compiled) {
    return !file.empty() && compiled.rewrite.unknown_to == file;
  });
}

FoundRewrites ShellRewriter::find(std::string_view script, const ProjectFacts& project) const {
  return Search(*this, script, project).run();
}

}  // namespace topsctl
