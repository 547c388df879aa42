// Runs the checks level by level, and records why others are skipped.
#include "topsctl/engine/checks/checks.hpp"

#include <algorithm>

#include "engine/checks/backend_checks.hpp"
#include "engine/checks/check_outcomes.hpp"
#include "engine/checks/device_checks.hpp"
#include "engine/checks/library_checks.hpp"
#include "engine/checks/package_checks.hpp"
#include "topsctl/base/catalogue.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/planner.hpp"
#include "topsctl/engine/planning/stack_payload.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/facts/facts.hpp"
#include "topsctl/host/python/python.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

// Checks on which higher levels do not depend.
bool stands_alone(CheckKind kind) {
  return kind == CheckKind::environment_file || kind == CheckKind::impostors ||
         kind == CheckKind::management_tool || kind == CheckKind::infiniband;
}

// Checks whose result may be unknown in an intact container.
bool may_stay_unknown(CheckKind kind) {
  return kind == CheckKind::management_tool || kind == CheckKind::driver ||
         kind == CheckKind::pci_cards || kind == CheckKind::infiniband ||
         kind == CheckKind::deb_files;
}

bool has_wheels(const Stack& stack, const PythonFacts& python) {
  return std::all_of(stack.components.begin(), stack.components.end(), [&](const Component& c) {
    return c.kind != PackageKind::wheel || python.wheel(c.names.front()) != nullptr;
  });
}

CheckedMachine look_at(const Host& host, const Stack& stack, const std::string& python,
                       const VerifyOptions& options) {
  CheckedMachine machine{host, stack, options,
                         read_host_facts(host, read_dpkg_database(host), stack, python)};
  for (const PythonFacts& candidate : machine.facts.pythons) {
    if (machine.python == nullptr) machine.python = &candidate;
    if (has_wheels(stack, candidate) && !has_wheels(stack, *machine.python))
      machine.python = &candidate;
  }
  machine.environment = derive_environment(stack, stack_payload({}, machine.facts.debs),
                                           kept_settings(stack, machine.facts).settings);
  return machine;
}

class Ladder {
 public:
  explicit Ladder(const CheckedMachine& machine) : machine_(machine), backend_(machine) {}

  std::string api() const { return backend_.api(); }

  CheckResult run(const CheckRule& rule) {
    CheckResult result = begun(rule);
    const auto started = machine_.host.clock->steady();
    try {
      judge(rule, result);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::interrupted || error.code() == ErrorCode::terminated) throw;
      leave_unknown(result, error.message(), error.hint());
    } catch (const std::exception& error) {
      leave_unknown(result, error.what(), "");
    }
    if (result.status != CheckStatus::fail) result.output.clear();
    if (result.status == CheckStatus::fail && !rule.hint.empty())
      result.hint = result.hint.empty()
                        ? rule.hint
                        : concat(translated(result.hint), "; ", translated(rule.hint));
    if (result.duration_ms == 0) {
      result.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                               machine_.host.clock->steady() - started)
                               .count();
    }
    return result;
  }

  static CheckResult begun(const CheckRule& rule) {
    CheckResult result;
    result.id = rule.id;
    result.level = rule.level;
    return result;
  }

 private:
  void judge(const CheckRule& rule, CheckResult& result) {
    switch (rule.kind) {
      case CheckKind::deb_installed:
        return judge_deb(machine_, rule, result);
      case CheckKind::deb_files:
        return judge_deb_files(machine_, rule, result);
      case CheckKind::library:
        return judge_library(machine_, rule, result);
      case CheckKind::wheel_installed:
        return judge_wheel(machine_, rule, result);
      case CheckKind::impostors:
        return judge_impostors(machine_, rule, result);
      case CheckKind::environment_file:
        return judge_environment(machine_, result);
      case CheckKind::library_links:
        return judge_links(machine_, rule, result);
      case CheckKind::wheels_unchanged:
        return judge_unchanged(machine_, result);
      case CheckKind::driver:
        return judge_driver(machine_, result);
      case CheckKind::device_nodes:
        return judge_nodes(machine_, result);
      case CheckKind::pci_cards:
        return judge_pci(machine_, result);
      case CheckKind::management_tool:
        return judge_tool(machine_, rule, result);
      case CheckKind::infiniband:
        return judge_infiniband(machine_, rule, result);
      case CheckKind::library_call:
      case CheckKind::python_import:
      case CheckKind::loaded_library:
      case CheckKind::device_count:
      case CheckKind::card_arithmetic:
      case CheckKind::process_group:
      case CheckKind::torch_distributed:
      case CheckKind::ranks:
      case CheckKind::perf_tool:
        return backend_.judge(rule, result);
    }
  }

  const CheckedMachine& machine_;
  BackendChecks backend_;
};

// The stack's order, level by level.
std::vector<CheckRule> in_climbing_order(std::vector<CheckRule> rules, CheckLevel highest) {
  std::erase_if(rules, [&](const CheckRule& rule) { return rule.level > highest; });
  std::stable_sort(rules.begin(), rules.end(),
                   [](const CheckRule& a, const CheckRule& b) { return a.level < b.level; });
  return rules;
}

// Reports each level as a step.
class LevelSteps {
 public:
  LevelSteps(const Host& host, EventSink* events, const std::vector<CheckRule>& rules)
      : host_(host), events_(events) {
    for (const CheckRule& rule : rules) {
      if (total_ == 0 || rule.level != last_) ++total_;
      last_ = rule.level;
    }
  }

  void reach(CheckLevel level) {
    if (index_ > 0 && level == last_) return;
    finish(true);
    last_ = level;
    started_ = host_.clock->steady();
    ++index_;
    if (events_ != nullptr) events_->step_started(index_, total_, format("level {}", name(last_)));
  }

  void finish(bool succeeded) {
    if (events_ == nullptr || index_ == 0 || is_finished_) return;
    is_finished_ = !succeeded;
    const auto taken = host_.clock->steady() - started_;
    events_->step_finished(index_, total_, format("level {}", name(last_)),
                           std::chrono::duration_cast<std::chrono::milliseconds>(taken).count(),
                           succeeded);
  }

 private:
  const Host& host_;
  EventSink* events_;
  std::size_t total_ = 0;
  std::size_t index_ = 0;
  CheckLevel last_ = CheckLevel::files;
  std::chrono::steady_clock::time_point started_;
  bool is_finished_ = false;
};

bool is_problem(const CheckRule& rule, const CheckResult& result) {
  return result.status == CheckStatus::fail ||
         (result.status == CheckStatus::unknown && !may_stay_unknown(rule.kind));
}

}  // namespace

Verification run_checks(const Host& host, const Stack& stack, const std::vector<CheckRule>& checks,
                        const std::string& python, const VerifyOptions& options) {
  const CheckedMachine machine = look_at(host, stack, python, options);
  Ladder ladder(machine);
  Verification verification;
  verification.python = machine.python == nullptr ? "" : machine.python->executable;
  const std::vector<CheckRule> rules = in_climbing_order(checks, options.highest);
  LevelSteps steps(host, options.events, rules);
  for (const CheckRule& rule : rules) {
    throw_if_interrupted();
    if (verification.stop && rule.level > verification.stop->level) {
      steps.finish(false);
      CheckResult result = Ladder::begun(rule);
      skip(result, format("not run: {} failed", in_quotes(verification.stop->check)));
      verification.checks.push_back(std::move(result));
      continue;
    }
    steps.reach(rule.level);
    CheckResult result = ladder.run(rule);
    result.is_problem = is_problem(rule, result);
    if (result.is_problem && !stands_alone(rule.kind) && !verification.stop)
      verification.stop = {rule.level, rule.id};
    verification.checks.push_back(std::move(result));
  }
  steps.finish(!verification.stop);
  verification.api = ladder.api();
  return verification;
}

std::vector<const CheckResult*> Verification::problems() const {
  std::vector<const CheckResult*> found;
  for (const CheckResult& check : checks) {
    if (check.is_problem) found.push_back(&check);
  }
  return found;
}

}  // namespace topsctl
