// Judges the interpreter's report on the backend, from one trial for all checks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/checks/checked_machine.hpp"
#include "topsctl/host/facts/backend_probe.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/check_rule.hpp"

namespace topsctl {

class BackendChecks {
 public:
  explicit BackendChecks(const CheckedMachine& machine) : machine_(machine) {}

  // Of the kinds library_call, python_import and from device_count to perf_tool.
  void judge(const CheckRule& rule, CheckResult& result);
  std::string api() const;  // "t2x", "s60"; empty: not found out

 private:
  const BackendTrial& backend_trial();
  void judge_call(const CheckRule& rule, CheckResult& result);
  void judge_import(const CheckRule& rule, CheckResult& result);
  void judge_loaded(CheckResult& result);
  void judge_count(CheckResult& result);
  void judge_arithmetic(CheckResult& result);
  void judge_group(CheckResult& result);
  void judge_stock(CheckResult& result);
  void judge_ranks(CheckResult& result);
  void judge_perf(const CheckRule& rule, CheckResult& result);
  // The objection to a group that ended; empty: none.
  std::string objection_to(const ProbeStep& group) const;
  // The step if it ended, with success or failure; reports the reason if not.
  const ProbeStep* ended_step(const BackendTrial& trial, std::string_view name,
                              const std::string& doing, CheckResult& result) const;
  // Reports a step that was begun and not ended, or never begun.
  void tell_cut_off(const BackendTrial& trial, const std::string& doing, CheckResult& result) const;
  std::string release_hint() const;
  std::string group_hint(const std::string& error) const;  // for a group that could not be created
  std::string path_of(const std::string& library) const;   // in a package; empty: in none
  // The objection to the library that a step has loaded; empty: none.
  std::string objection_to_library(const ProbeStep& step, const std::string& library) const;

  const CheckedMachine& machine_;
  std::optional<BackendTrial> climb_;
};

}  // namespace topsctl
