// Renders preflight, plan and end of a launch.
#include "cli/training/launch_text.hpp"

#include "cli/finding_text.hpp"
#include "cli/training/doctor_text.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/diagnosis/doctor_report.hpp"

namespace topsctl {

std::string not_started_text(const LaunchCheck& preflight) {
  std::vector<std::string> options;
  for (const std::string& id : preflight.refused) options.push_back(concat("--accept ", id));
  return format("not started: {}; {} starts it anyway\n", joined(preflight.refused, ", "),
                joined(options, " "));
}

std::string launch_check_text(const LaunchCheck& preflight, const Style& style) {
  std::string text = preflight.checks.empty() ? "" : render_checks(preflight.checks, style);
  if (!preflight.findings.empty())
    text += render_findings(preflight.findings, Detail::brief, style);
  return text;
}

std::string plan_text(const LaunchPlan& plan, const LaunchRecord& begun, const Style& style) {
  std::vector<std::string> words;
  for (const std::string& word : plan.argv) words.push_back(typed_word(word));
  std::string text = concat(style.bold(format("command:")), " ", joined(words, " "), "\n");
  for (const auto& [name, value] : begun.added)
    text += concat("  ", name, "=", typed_word(value), "\n");
  for (const std::string& name : begun.removed) text += concat("  unset ", name, "\n");
  return text + concat("  ", format("logs in {}", printable(begun.log_folder)), "\n");
}

std::string judgement_text(const LaunchRecord& record, Language language, const Style& style) {
  const AttemptRecord& last = record.attempts.back();
  if (!last.judgement) return {};
  DoctorReport report;
  report.language = language;
  report.judgement = *last.judgement;
  return render_doctor(report, Detail::brief, style);
}

std::string end_text(const LaunchRecord& record, Language language, const Style& style) {
  const AttemptRecord& last = record.attempts.back();
  const bool is_proved = record.hosts.empty() || record.log_problem.empty();
  std::string what = record.ended_by       ? format("ended by signal {}", *record.ended_by)
                     : *record.status != 0 ? format("exit status {}", *record.status)
                     : is_proved           ? format("all ranks succeeded")
                                           : format("each host says that its ranks succeeded");
  if (record.attempts.size() > 1)
    what += format(" after {}", counted(record.attempts.size() - 1, "restart"));
  if (!last.not_restarted.empty() && record.request.restart.most > 0)
    what += format("; not restarted: {}", last.not_restarted);
  return concat(judgement_text(record, language, style), style.bold(format("state:")), " ",
                format("{}; logs in {}", what, printable(record.log_folder)), "\n");
}

}  // namespace topsctl
