// topsctl verify: checks whether an installed stack works.
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/finding_text.hpp"
#include "cli/option_table.hpp"
#include "cli/training/bench_run.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/engine/checks/installed_stack.hpp"
#include "topsctl/engine/checks/verify_report.hpp"
#include "topsctl/engine/operations/installer.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/operations/report_files.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t most_cards = 1024;
constexpr std::int64_t most_timeout_s = 86'400;
constexpr std::int64_t ms_per_s = 1000;
constexpr std::int64_t most_percent = 100;

struct VerifyCommandOptions {
  std::string root = "/";
  std::string stack;
  std::string python;
  std::string level = "ranks";
  std::int64_t cards = 0;
  std::int64_t ranks = 0;
  std::int64_t timeout_s = 300;
  std::string baseline;
  std::int64_t least_percent = usual_baseline_percent;
};

std::string state_of(const Verification& verification) {
  const auto count = [&](CheckStatus status) {
    return std::count_if(verification.checks.begin(), verification.checks.end(),
                         [&](const CheckResult& check) { return check.status == status; });
  };
  const std::size_t problems = verification.problems().size();
  std::string text = problems > 0
                         ? format("{} of {} checks failed", problems, verification.checks.size())
                         : format("{} checks passed", count(CheckStatus::pass));
  if (count(CheckStatus::warn) > 0) text += format(", {} warned", count(CheckStatus::warn));
  if (count(CheckStatus::skipped) > 0) text += format(", {} skipped", count(CheckStatus::skipped));
  if (problems == 0 && count(CheckStatus::unknown) > 0)
    text += format(", {} unknown", count(CheckStatus::unknown));
  if (verification.stop) {
    text += format("; stopped at level {} by {}", in_quotes(name(verification.stop->level)),
                   in_quotes(verification.stop->check));
  }
  return text;
}

std::string verify_text(const Stack& stack, const Verification& verification, const Style& style) {
  std::string text = concat(style.bold(format("verify")), " ", title_of(stack));
  if (!verification.python.empty()) text += format(" for {}", verification.python);
  if (!verification.api.empty()) text += format(", API generation {}", verification.api);
  return concat(
      text, "\n", render_checks(verification.checks, style),
      fitted_lines(concat(style.bold(format("state:")), " ", state_of(verification), "\n"), style));
}

void require_sense(const VerifyCommandOptions& options, const OptionTable& table) {
  require_baseline(table, options.baseline);
  if (!options.baseline.empty() && *level_named(options.level) != CheckLevel::perf)
    throw Error(ErrorCode::usage, "--baseline needs --level perf",
                "compare with it at that level: --level perf");
}

Output run_verify(const VerifyCommandOptions& options, const OptionTable& table, Session& session) {
  require_sense(options, table);
  const Host host = session.with_root(options.root);
  require_usable_host(host, Purpose::look);
  const Stack stack = stack_on(host, options.stack);
  BandwidthWishes wishes{options.stack,     options.python,   options.ranks,
                         options.timeout_s, options.baseline, options.least_percent};
  if (!options.baseline.empty()) require_repeatable(stack, wishes, session);
  const VerifyOptions verify_options{*level_named(options.level), options.cards, options.ranks,
                                     options.timeout_s * ms_per_s, session.events};
  Verification verification = run_checks(host, stack, stack.checks, options.python, verify_options);
  if (*level_named(options.level) == CheckLevel::perf && host.root == "/" &&
      !stack.backend.name.empty()) {
    wishes.python = verification.python;
    verification.checks.push_back(bandwidth_check(
        stack, wishes, verification.stop ? verification.stop->check : std::string(), session));
  }
  Output output;
  output.header.command = "verify";
  output.header.warnings = unfinished_warnings(host);
  output.header.exit = verification.problems().empty() ? ExitCode::done : ExitCode::problems;
  const Json body = verify_body(stack, verification);
  output.json = body;
  output.text = verify_text(stack, verification, session.style);
  if (host.root == "/") {
    const std::vector<std::string> unwritten = leave_test_results(
        host, to_text(document(output.header, body)), verify_text(stack, verification, Style{}));
    output.header.warnings.insert(output.header.warnings.end(), unwritten.begin(), unwritten.end());
  }
  return output;
}

}  // namespace

CommandAction define_verify(OptionTable& table) {
  auto options = std::make_shared<VerifyCommandOptions>();
  table.value("--root", options->root, "Root directory of the system", "DIR");
  table.value("--stack", options->stack, "Name of a known stack, or a stack file", "STACK")
      .lists("stacks");
  table.value("--python", options->python, "Interpreter to check", "EXE");
  table.value("--level", options->level, "Highest check level; default: ranks", "RUNG")
      .choices(level_names());
  table.value("--cards", options->cards, "Expected number of cards", "N")
      .check(whole_number(1, most_cards));
  table.value("--ranks", options->ranks, "Number of processes that level 'ranks' starts", "N")
      .check(whole_number(1, most_cards));
  table.value("--baseline", options->baseline,
              "Compare level 'perf' with this JSON report of `topsctl bench`", "FILE.json");
  table
      .value("--at-least", options->least_percent,
             "Lowest share of the baseline that passes; default: 80", "PERCENT")
      .check(whole_number(1, most_percent));
  table.value("--timeout", options->timeout_s, "Timeout of each process in seconds", "S")
      .check(whole_number(1, most_timeout_s));
  return {[options, &table](Session& session) { return run_verify(*options, table, session); },
          verify_body({}, {})};
}

}  // namespace topsctl
