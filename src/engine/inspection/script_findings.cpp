// Judges the lines of maintainer scripts by the rules.
#include "engine/inspection/script_findings.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "engine/inspection/script_lines.hpp"
#include "engine/inspection/shell_commands.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/inspection/evidence_list.hpp"
#include "topsctl/host/content/elf.hpp"
#include "topsctl/host/system/pattern.hpp"
#include "topsctl/model/finding_catalogue.hpp"
#include "topsctl/model/script_rule.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_script = std::size_t{4} << 20U;  // bytes
constexpr std::size_t longest_line = std::size_t{16} << 10U;   // bytes

// The rules with compiled patterns, made once, because they are the same for every package.
struct Judge {
  PatternSet patterns;
  std::vector<std::optional<Pattern>> unless;
};

const Judge& judge() {
  static const Judge made = [] {
    std::vector<std::string> patterns;
    std::vector<std::optional<Pattern>> unless;
    for (const ScriptRule& rule : script_rules()) {
      patterns.push_back(rule.pattern);
      unless.emplace_back();
      if (!rule.unless.empty()) unless.back().emplace(rule.unless);
    }
    return Judge{PatternSet(patterns), std::move(unless)};
  }();
  return made;
}

using EvidenceById = std::map<std::string, EvidenceList>;

bool concerns(const ScriptRule& rule, const MaintainerScript& script) {
  return rule.applies_to.empty() || std::find(rule.applies_to.begin(), rule.applies_to.end(),
                                              script.name) != rule.applies_to.end();
}

// Whether the line has a command that can fail.
bool is_active(std::string_view line) {
  const std::string_view text = trimmed(line);
  return !text.starts_with("#!") && text != ":" && text != "true" && text != "exit" &&
         !text.starts_with("exit ");
}

// The line for display: collapses runs of blanks, which joined lines have.
std::string one_blank_each(std::string_view line) {
  std::string out;
  for (const char c : trimmed(line)) {
    const bool is_blank = c == ' ' || c == '\t';
    if (!is_blank || !out.ends_with(' ')) out.push_back(is_blank ? ' ' : c);
  }
  return out;
}

// The files that dpkg installs for a package, without directories.
class OwnFiles {
 public:
  explicit OwnFiles(const Package& package) {
    if (package.deb) paths_.insert(package.deb->conffiles.begin(), package.deb->conffiles.end());
    if (!package.files) return;
    for (const PayloadEntry& entry : *package.files) {
      if (entry.type != PayloadEntry::Type::directory) paths_.insert(entry.path);
    }
  }

  // Whether the line has paths, and all of them belong to the package.
  bool are_all_of(std::string_view line) const {
    static const Pattern path(R"((?:^|[\s"'=<>(])(?:\$\{?DPKG_ROOT\}?["']?)?(/[^\s"';&|<>()]*))");
    bool is_any = false;
    for (auto at = path.find(line, 0); at; at = path.find(line, at->end)) {
      const std::string_view match = line.substr(at->begin, at->end - at->begin);
      const std::string_view name = match.substr(match.find('/'));
      if (name == "/dev/null") continue;
      if (!paths_.contains(name)) return false;
      is_any = true;
    }
    return is_any;
  }

 private:
  std::set<std::string, std::less<>> paths_;
};

// Judges the lines of one script in sequence.
class ScriptJudge {
 public:
  ScriptJudge(const MaintainerScript& script, const OwnFiles& own, EvidenceById& found)
      : script_(script), own_(own), found_(found) {}

  void take(const ScriptLine& line) {
    does_something_ = does_something_ || is_active(line.text);
    if (line.text.size() > longest_line && !std::exchange(is_cut_, true)) {
      found_["script-too-long"].add(script_.name, line.text, line.number);
    }
    const std::string_view text = std::string_view(line.text).substr(0, longest_line);
    for (const std::size_t i : judge().patterns.matches(text)) {
      const ScriptRule& rule = rules_[i];
      const std::optional<Pattern>& unless = judge().unless[i];
      if (!concerns(rule, script_) || (unless && unless->matches(text)) ||
          is_told_by_another(rule, line.number) || (rule.unless_own && own_.are_all_of(text))) {
        continue;
      }
      matched_.insert(rule.finding.id);
      const bool is_new = reported_.emplace(rule.finding.id, line.number).second;
      if (rule.when == ScriptRule::When::matches && is_new) {
        found_[rule.finding.id].add(script_.name, one_blank_each(text), line.number);
      }
    }
  }

  // After the last line: checks the rules that require a line.
  void end() {
    if (script_language(script_.text) != ScriptLanguage::shell || !does_something_) return;
    for (const ScriptRule& rule : rules_) {
      if (rule.when == ScriptRule::When::missing && !matched_.contains(rule.finding.id) &&
          concerns(rule, script_)) {
        found_[rule.finding.id].add(script_.name, "no line of the script prevents it");
      }
    }
  }

 private:
  bool is_told_by_another(const ScriptRule& rule, int line) const {
    return std::any_of(rule.unless_found.begin(), rule.unless_found.end(),
                       [&](const std::string& other) {
                         return reported_.contains({other, line});
                       });
  }

  const MaintainerScript& script_;
  const OwnFiles& own_;
  EvidenceById& found_;
  const std::vector<ScriptRule>& rules_ = script_rules();
  std::set<std::string> matched_;
  std::set<std::pair<std::string, int>> reported_;
  bool does_something_ = false;
  bool is_cut_ = false;
};

void judge_lines(const MaintainerScript& script, const OwnFiles& own, EvidenceById& found) {
  ScriptJudge judge(script, own, found);
  for (const ScriptLine& line : script_lines(script.text)) judge.take(line);
  judge.end();
}

void judge_script(const MaintainerScript& script, const OwnFiles& own, EvidenceById& found) {
  const bool is_elf = script.text.starts_with(elf_magic);
  if (is_elf || script.text.find('\0') != std::string::npos || !is_utf8(script.text)) {
    found["script-is-binary"].add(script.name, is_elf ? "a compiled program" : "not UTF-8 text");
  }
  if (is_elf) return;
  if (script.text.size() <= longest_script) {
    judge_lines(script, own, found);
    return;
  }
  found["script-too-long"].add(script.name,
                               format("the script is {} long", human_size(script.text.size())));
  judge_lines({script.name, script.text.substr(0, longest_script)}, own, found);
}

// A command that a maintainer script runs.
struct Call {
  std::string word;
  bool is_bare = false;  // looked up in PATH
  const MaintainerScript* script = nullptr;
  ScriptLine line;  // cut
};

// By the last part of its word.
using Calls = std::multimap<std::string, Call, std::less<>>;

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Whether a word after it is run.
bool is_starter(std::string_view command) {
  static const Pattern starter(
      "^(?:\\.|source|eval|(?:ba|da|z|k|mk|a)?sh|python[\\d.]*|perl|ruby|exec|env|nohup|timeout|"
      "nice|"
      "ionice|setsid|command|sudo|chroot|time|xargs|flock|runuser|su)$");
  return starter.matches(last_part(command));
}

// The first calls of programs with one of the names.
void find_calls(const MaintainerScript& script, const std::set<std::string_view>& names,
                Calls& calls) {
  if (script_language(script.text) != ScriptLanguage::shell) return;
  constexpr std::size_t most_calls = 16;  // of one name
  constexpr std::size_t longest_call = 400;
  for (const ScriptLine& line : script_lines(script.text.substr(0, longest_script))) {
    if (line.text.size() > longest_line) continue;
    const auto parts = names_in(line.text);
    if (std::none_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return names.contains(part); }))
      continue;
    for (const ShellCommand& command : shell_line(line.text).commands) {
      const bool starts = !command.words.empty() && is_starter(command.words.front().text) &&
                          (command.words.size() < 2 || command.words[1].text != "-v");
      const std::size_t size = command.words.size();
      for (std::size_t i = 0; i < (starts ? size : std::min<std::size_t>(size, 1)); ++i) {
        const std::string& word = command.words[i].text;
        const std::string name(last_part(word));
        if (!names.contains(name) || calls.count(name) >= most_calls) continue;
        const ScriptLine cut{line.number, one_blank_each(line.text).substr(0, longest_call)};
        calls.emplace(name, Call{word, i == 0 && name == word, &script, cut});
      }
    }
  }
}

bool is_call_of(const Call& call, const std::string& program) {
  if (call.is_bare) return program.substr(0, program.rfind('/')).ends_with("bin");
  return !call.word.starts_with('/') || call.word == program;
}

// What the rules for such programs find in a program that the scripts run.
void judge_program(const std::string& path, const std::string& text, const Calls& calls,
                   const OwnFiles& own, EvidenceById& found) {
  const auto [first, last] = calls.equal_range(last_part(path));
  std::vector<const Call*> of_program;
  for (auto each = first; each != last; ++each) {
    if (is_call_of(each->second, path)) of_program.push_back(&each->second);
  }
  if (of_program.empty()) return;
  EvidenceById inside;
  judge_script({called_program, text}, own, inside);
  for (const ScriptRule& rule : script_rules()) {
    const auto lines = inside.find(rule.finding.id);
    if (rule.applies_to != std::vector<std::string>{called_program} || lines == inside.end())
      continue;
    EvidenceList& evidence = found[rule.finding.id];
    for (const Call* call : of_program)
      evidence.add(call->script->name, call->line.text, call->line.number);
    for (const Evidence& piece : lines->second.pieces()) evidence.add(path, piece.text, piece.line);
  }
}

// In programs of the package.
void judge_programs(const Package& package, const Contents& contents, const OwnFiles& own,
                    EvidenceById& found) {
  std::set<std::string_view> names;
  for (const auto& [path, text] : contents.texts) names.insert(last_part(path));
  Calls calls;
  for (const MaintainerScript& script : package.deb->scripts) find_calls(script, names, calls);
  for (const auto& [path, text] : contents.texts) judge_program(path, text, calls, own, found);
}

}  // namespace

std::vector<Finding> script_findings(const Package& package, const Contents* contents) {
  std::vector<Finding> findings;
  if (!package.deb) return findings;
  EvidenceById found;
  const OwnFiles own(package);
  for (const MaintainerScript& script : package.deb->scripts) judge_script(script, own, found);
  if (contents != nullptr) judge_programs(package, *contents, own, found);
  for (const auto& [id, evidence] : found) {
    findings.push_back(make_finding(id, package.path, evidence.pieces()));
  }
  sort_findings(findings);
  return findings;
}

}  // namespace topsctl
