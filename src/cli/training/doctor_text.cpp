// Renders the report of topsctl doctor.
#include "cli/training/doctor_text.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

namespace {

std::string verdict_line(const Judgement& judgement, bool is_of_host, const Style& style) {
  const std::string word = concat(style.bold(format("verdict:")), " ");
  switch (judgement.verdict) {
    case JobVerdict::healthy:
      return concat(word, style.green(format("healthy")), "\n");
    case JobVerdict::problems: {
      const std::string problems = concat(word, style.red(format("problems")), "\n");
      const auto first = std::find_if(
          judgement.diagnoses.begin(), judgement.diagnoses.end(),
          [&](const Judged& each) { return each.finding.id == judgement.first_cause; });
      if (first == judgement.diagnoses.end()) return problems;
      const std::string title =
          concat(printable(first->finding.title), " (", first->finding.id, ")");
      return concat(
          problems,
          wrapped(title, concat(style.bold(format("first cause:")), " "), style.width(), 2),
          wrapped(printable(first->finding.cause), "  ", style.width()));
    }
    case JobVerdict::unknown:
      break;
  }
  return concat(word, style.yellow(format("unknown")), ": ",
                is_of_host ? format("a job runs, but nothing shows whether its cards work")
                : judgement.has_failed
                    ? format("no known diagnosis explains the failure")
                    : format("no error found, but nothing shows that the job ended well"),
                "\n");
}

std::string first_failure_lines(const Traceback& traceback, Detail detail, const Style& style) {
  const FirstFailure failure = first_failure(traceback);
  std::string place;
  if (failure.place.rank) place = concat(format("rank {}", *failure.place.rank), ", ");
  constexpr std::int64_t year = 366LL * 24 * 3600 * 1000;  // a time in 1970 has no known year
  if (failure.place.time_ms && *failure.place.time_ms >= year)
    place += concat(timestamp(std::chrono::system_clock::time_point(
                        std::chrono::milliseconds(*failure.place.time_ms))),
                    ", ");
  place += concat(printable(failure.place.source), ":", failure.place.line);
  std::string text = concat(style.bold(format("first exception:")), " ", place, "\n");
  if (detail == Detail::full || failure.exception.empty()) {
    // Indented: a line of the log must not look like one of topsctl's own.
    for (const std::string& line : split(printable(failure.text, Lines::keep), '\n'))
      text += concat("  ", line, "\n");
    return text;
  }
  text += concat("  ", printable(failure.exception), "\n");
  if (!failure.file.empty()) {
    const std::string at = concat(printable(failure.file), ":", failure.line);
    text +=
        concat("  ",
               failure.function.empty() ? format("at {}", at)
                                        : format("at {} in {}", at, printable(failure.function)),
               "\n");
  }
  const std::string& log = failure.place.source;
  std::error_code ignored;
  const std::string all =
      std::filesystem::exists(log, ignored)
          ? format("`topsctl doctor --log {} --verbose` shows all frames", typed_word(log))
          : format("with --verbose, all frames are shown");
  return concat(text, "  ", all, "\n");
}

std::string effect_lines(const Judgement& judgement, const Style& style) {
  std::string text;
  for (const Judged& each : judgement.diagnoses) {
    if (each.explained_by.empty()) continue;
    const std::string line = concat(printable(each.finding.title), " (", each.finding.id,
                                    "): ", format("explained by {}", each.explained_by));
    text += wrapped(line, "  ", style.width(), 4);
  }
  return text.empty() ? text : concat(style.bold(format("effects:")), "\n", text);
}

}  // namespace

std::string render_doctor(const DoctorReport& report, Detail detail, const Style& style) {
  const Judgement& judgement = report.judgement.value();
  std::string text = verdict_line(judgement, report.machine.has_value(), style);
  // One at a time, to keep the order of causes.
  for (const Judged& each : judgement.diagnoses) {
    if (each.explained_by.empty()) text += render_findings({each.finding}, detail, style);
  }
  text += effect_lines(judgement, style);
  if (judgement.unexplained) text += first_failure_lines(*judgement.unexplained, detail, style);
  for (const LogSource& source : report.sources) {
    if (!source.problem.empty())
      text += concat(style.bold(format("not read:")), " ", printable(source.path), ": ",
                     source.problem, "\n");
  }
  return text;
}

std::string render_diagnosis_list(const DoctorReport& report, const Style& style) {
  std::size_t widest = 0;
  for (const Diagnosis* each : report.catalogue) widest = std::max(widest, each->finding.id.size());
  std::string text;
  for (const Diagnosis* each : report.catalogue) {
    const Finding finding = finding_in(*each, report.language);
    text += concat(style.bold(finding.id), std::string(widest + 2 - finding.id.size(), ' '),
                   finding.title, "\n");
  }
  return text;
}

std::string render_diagnosis(const Diagnosis& diagnosis, Language language, const Style& style) {
  const Finding finding = finding_in(diagnosis, language);
  std::string text = concat(style.bold(finding.id), " (", name(finding.severity), ")\n");
  text += wrapped(finding.title, "", style.width());
  text += wrapped(finding.cause, concat(style.bold(format("cause:")), " "), style.width());
  text += wrapped(finding.remedy.text, concat(style.bold("hint:"), " "), style.width());
  if (!finding.remedy.command.empty())
    text += concat(style.bold(format("run:")), " ", finding.remedy.command, "\n");
  for (const std::string& example : diagnosis.example_match)
    text +=
        wrapped(last_lines(example, 1), concat(style.bold(format("example:")), " "), style.width());
  if (!diagnosis.explains.empty())
    text += concat(style.bold(format("explains:")), " ", joined(diagnosis.explains, ", "), "\n");
  for (const std::string& ref : diagnosis.refs)
    text += concat(style.bold(format("see:")), " ", ref, "\n");
  return text;
}

}  // namespace topsctl
