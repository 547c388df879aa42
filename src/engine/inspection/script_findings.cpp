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

// The first line on which a script runs the program.
std::optional<ScriptLine> call_of(const std::string& program, const MaintainerScript& script) {
  if (script_language(script.text) != ScriptLanguage::shell) return std::nullopt;
  const std::string name = program.substr(program.rfind('/') + 1);
  for (const ScriptLine& line : script_lines(script.text.substr(0, longest_script))) {
    if (line.text.size() > longest_line || line.text.find(name) == std::string::npos) continue;
    for (const ShellCommand& command : shell_line(line.text).commands) {
      if (command.words.empty()) continue;
      const std::string& word = command.words.front().text;
      if (word == name || word == program) return line;
    }
  }
  return std::nullopt;
}

// What the rules for such programs find in a program that the scripts run.
void judge_program(const std::string& path, const std::string& text, const Package& package,
                   EvidenceById& found) {
  EvidenceById inside;
  judge_script({called_program, text}, OwnFiles(package), inside);
  for (const ScriptRule& rule : script_rules()) {
    const auto lines = inside.find(rule.finding.id);
    if (rule.applies_to != std::vector<std::string>{called_program} || lines == inside.end())
      continue;
    for (const MaintainerScript& script : package.deb->scripts) {
      const auto call = call_of(path, script);
      if (!call) continue;
      EvidenceList& evidence = found[rule.finding.id];
      evidence.add(script.name, one_blank_each(call->text), call->number);
      for (const Evidence& piece : lines->second.pieces())
        evidence.add(path, piece.text, piece.line);
      break;
    }
  }
}

}  // namespace

std::vector<Finding> script_findings(const Package& package, const Contents* contents) {
  std::vector<Finding> findings;
  if (!package.deb) return findings;
  EvidenceById found;
  const OwnFiles own(package);
  for (const MaintainerScript& script : package.deb->scripts) judge_script(script, own, found);
  if (contents != nullptr) {
    for (const auto& [path, text] : contents->texts) {
      if (text.starts_with("#!")) judge_program(path, text, package, found);
    }
  }
  for (const auto& [id, evidence] : found) {
    findings.push_back(make_finding(id, package.path, evidence.pieces()));
  }
  sort_findings(findings);
  return findings;
}

}  // namespace topsctl
