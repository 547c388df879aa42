// Separates required check results of an install from those that depend on the cards.
#include "engine/execution/check_step.hpp"

#include <algorithm>
#include <iterator>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/engine/checks/installed_files.hpp"

namespace topsctl {

namespace {

// A hanging card would block the install.
constexpr std::int64_t trial_timeout_ms = 120'000;

void require_sound(const Host& host, const Stack& stack, const std::string& python,
                   const std::vector<CheckRule>& rules, EventSink& events,
                   std::vector<CheckResult>& checks) {
  const Verification verification = run_checks(host, stack, rules, python);
  for (const CheckResult& check : verification.checks) {
    if (!check.output.empty()) events.output(concat(check.id, ":\n", check.output, "\n"));
  }
  checks.insert(checks.end(), verification.checks.begin(), verification.checks.end());
  // An unknown result is a failure: after a fresh install, none may stay unknown.
  const std::vector<const CheckResult*> problems = verification.problems();
  if (problems.empty()) return;
  const CheckResult& first = *problems.front();
  const std::size_t others = problems.size() - 1;
  throw Error(ErrorCode::checks_failed,
              format("check {} failed: {}{}", in_quotes(first.id), first.observed,
                     others > 0 ? format(" (and {} more)", others) : std::string()),
              first.hint);
}

void try_cards(const Host& host, const Stack& stack, const std::string& python,
               const std::vector<CheckRule>& rules, std::vector<CheckResult>& checks,
               std::vector<std::string>& warnings) {
  VerifyOptions verify_options;
  verify_options.highest = CheckLevel::single;
  verify_options.timeout_ms = trial_timeout_ms;
  for (CheckResult& check : run_checks(host, stack, rules, python, verify_options).checks) {
    if (check.is_problem) {
      check.is_problem = false;
      check.status = CheckStatus::warn;
      warnings.push_back(format("the packages are intact, but {} failed: {}; see `topsctl verify`",
                                in_quotes(check.id), check.observed));
    }
    checks.push_back(std::move(check));
  }
}

}  // namespace

std::string check_installation(const Host& host, const Stack& stack, const std::string& python,
                               const RunChecks& run, EventSink& events,
                               std::vector<CheckResult>& checks,
                               std::vector<std::string>& warnings) {
  // Before a check loads them.
  require_closed(host, run.loaded, ErrorCode::checks_failed, warnings);
  std::vector<CheckRule> rules = run.checks;
  const auto first_trial = std::stable_partition(
      rules.begin(), rules.end(), [](const CheckRule& rule) { return !needs_device(rule); });
  const std::vector<CheckRule> trials(first_trial, rules.end());
  rules.erase(first_trial, rules.end());
  require_sound(host, stack, python, rules, events, checks);
  if (!trials.empty()) try_cards(host, stack, python, trials, checks, warnings);
  const auto passed = std::count_if(checks.begin(), checks.end(), [](const CheckResult& check) {
    return check.status == CheckStatus::pass;
  });
  return format("{} passed", counted(static_cast<std::size_t>(passed), "check"));
}

}  // namespace topsctl
