// Variables, places and findings of a check of the environment as text.
#include "cli/environment_text.hpp"

#include <algorithm>

#include "cli/finding_text.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

std::string setting_warning(const Finding& finding) {
  return format("{}: {}: {}", finding.subject, finding.title,
                finding.evidence.empty() ? "" : finding.evidence.back().text);
}

std::string render_environment_check(const EnvironmentCheck& check, const Style& style) {
  std::vector<std::vector<std::string>> rows = {{"variable", "grade", "value", "set in"}};
  for (const SetVariable& variable : set_variables(check.places)) {
    for (const SetVariable::At& at : variable.at) {
      const bool is_first = at.assignment == variable.at.front().assignment;
      const int line = at.assignment->line;
      rows.push_back({is_first ? variable.name : "",
                      is_first ? std::string(name(variable.grade)) : "",
                      printable(at.assignment->value),
                      line > 0 ? concat(at.place->name, ":", line) : at.place->name});
    }
  }
  std::string text = concat(style.bold(format("environment")), "\n");
  if (rows.size() > 1) text += table(rows, style);
  if (!check.findings.empty())
    text += concat("\n", render_findings(check.findings, Detail::full, style), "\n");
  const auto problems =
      std::count_if(check.findings.begin(), check.findings.end(),
                    [](const Finding& f) { return f.severity >= Severity::warning; });
  return format("{}{} {} in {}, {}\n", text, style.bold(format("state:")),
                counted(rows.size() - 1, "assignment"), counted(check.places.size(), "place"),
                problems == 0 ? format("no problems")
                              : counted(static_cast<std::size_t>(problems), "problem"));
}

}  // namespace topsctl
