// Compares a host's signals with the conditions of the diagnoses.
#include "topsctl/engine/diagnosis/machine_judgement.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::optional<std::int64_t> whole_value(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool condition_holds(const SignalCondition& condition, const Signals& signals) {
  const auto signal = signals.find(condition.signal);
  if (signal == signals.end()) return false;
  std::string wanted = condition.value;
  if (wanted.starts_with('{') && wanted.ends_with('}')) {
    const auto other = signals.find(std::string_view(wanted).substr(1, wanted.size() - 2));
    if (other == signals.end()) return false;
    wanted = other->second;
  }
  const auto left = whole_value(signal->second);
  const auto right = whole_value(wanted);
  switch (condition.comparison) {
    case SignalCondition::Comparison::equals:
      return signal->second == wanted;
    case SignalCondition::Comparison::differs:
      return signal->second != wanted;
    case SignalCondition::Comparison::below:
      return left && right && *left < *right;
    case SignalCondition::Comparison::above:
      return left && right && *left > *right;
  }
  return false;
}

std::vector<Evidence> machine_evidence(const Diagnosis& diagnosis, const Signals& signals,
                                       const MachineFacts& facts) {
  std::vector<Evidence> evidence;
  for (const SignalCondition& condition : diagnosis.machine) {
    const auto signal = signals.find(condition.signal);
    if (signal == signals.end()) continue;
    evidence.push_back({"this host", 0, concat(condition.signal, " = ", signal->second)});
    if (condition.signal != "checks_failed") continue;
    for (const CheckResult& check : facts.checks) {
      if (check.status == CheckStatus::fail)
        evidence.push_back({concat("check ", check.id), 0, printable(check.observed)});
    }
  }
  return evidence;
}

Judged judged_machine(const Diagnosis& diagnosis, const Signals& signals, const MachineFacts& facts,
                      Language language) {
  Judged judged;
  judged.finding = finding_in(diagnosis, language);
  judged.finding.severity = diagnosis.severity_on_host.value_or(judged.finding.severity);
  judged.finding.subject = "this host";
  judged.finding.evidence = machine_evidence(diagnosis, signals, facts);
  return judged;
}

void explain_judged(const DiagnosisCatalogue& catalogue, std::vector<Judged>& all) {
  for (const Judged& cause : all) {
    const Diagnosis* record = catalogue.find(cause.finding.id);
    if (record == nullptr) continue;
    for (Judged& effect : all) {
      const auto& explains = record->explains;
      const bool does =
          std::find(explains.begin(), explains.end(), effect.finding.id) != explains.end();
      // A low limit may cause it; only a log shows whether it did.
      const bool is_grave = cause.finding.severity >= effect.finding.severity;
      if (does && is_grave && effect.explained_by.empty()) effect.explained_by = cause.finding.id;
    }
  }
}

}  // namespace

bool holds(const std::vector<SignalCondition>& conditions, const Signals& signals) {
  return !conditions.empty() &&
         std::all_of(conditions.begin(), conditions.end(), [&](const SignalCondition& condition) {
           return condition_holds(condition, signals);
         });
}

Judgement judge_machine(const DiagnosisCatalogue& catalogue, const MachineFacts& facts,
                        Language language) {
  Judgement judgement;
  Signals signals = signals_of(facts.state);
  signals["checks_failed"] = std::to_string(
      std::count_if(facts.checks.begin(), facts.checks.end(),
                    [](const CheckResult& check) { return check.status == CheckStatus::fail; }));
  for (const Diagnosis& diagnosis : catalogue.diagnoses) {
    if (holds(diagnosis.machine, signals))
      judgement.diagnoses.push_back(judged_machine(diagnosis, signals, facts, language));
  }
  for (const Finding& finding : facts.environment) {
    if (finding.severity >= Severity::warning) judgement.diagnoses.push_back({finding, {}, {}, {}});
  }
  explain_judged(catalogue, judgement.diagnoses);
  const auto key = [](const Judged& each) {
    return std::pair(!each.explained_by.empty(), -static_cast<int>(each.finding.severity));
  };
  std::stable_sort(judgement.diagnoses.begin(), judgement.diagnoses.end(),
                   [&](const Judged& a, const Judged& b) { return key(a) < key(b); });
  const bool is_problem = !judgement.diagnoses.empty() &&
                          judgement.diagnoses.front().explained_by.empty() &&
                          judgement.diagnoses.front().finding.severity >= Severity::error;
  if (is_problem) {
    judgement.verdict = JobVerdict::problems;
    judgement.first_cause = judgement.diagnoses.front().finding.id;
  } else if (!facts.state.processes.empty() && !signals.contains("cards_busy")) {
    judgement.verdict = JobVerdict::unknown;
  }
  return judgement;
}

}  // namespace topsctl
