// What judges a stack's checks: one function for each kind, in the file of its subject.
#pragma once

#include <string>

#include "engine/checks/checked_machine.hpp"
#include "topsctl/engine/checks/checks.hpp"
#include "topsctl/host/facts/backend_probe.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check.hpp"
#include "topsctl/model/environment.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// The outcomes; texts become printable.
void pass(CheckResult& result, const std::string& observed);
void warn(CheckResult& result, const std::string& observed, const std::string& hint);
void fail(CheckResult& result, const std::string& observed, const std::string& hint);
void skip(CheckResult& result, const std::string& observed);
void leave_unknown(CheckResult& result, const std::string& observed, const std::string& hint);

// package_checks.cpp
void judge_deb(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_deb_files(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_wheel(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_environment(const CheckedMachine& machine, CheckResult& result);
void judge_impostors(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_unchanged(const CheckedMachine& machine, CheckResult& result);

// library_checks.cpp
void judge_library(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
void judge_links(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);

// device_checks.cpp
void judge_driver(const CheckedMachine& machine, CheckResult& result);
void judge_nodes(const CheckedMachine& machine, CheckResult& result);
void judge_pci(const CheckedMachine& machine, CheckResult& result);
void judge_tool(const CheckedMachine& machine, const CheckRule& rule, CheckResult& result);
// Whether every card that there should be has a node: without one nothing can be tried on it.
bool has_every_node(const CheckedMachine& machine);

// backend_checks.cpp: what the interpreter tells, tried once for all checks.
class BackendChecks {
 public:
  explicit BackendChecks(const CheckedMachine& machine) : machine_(machine) {}

  // Of the kinds library_call, python_import and from device_count to perf_tool.
  void judge(const CheckRule& rule, CheckResult& result);
  std::string api() const;  // "t2x", "s60"; empty: not found out

 private:
  const BackendTrial& climb();
  void judge_call(CheckResult& result);
  void judge_import(const CheckRule& rule, CheckResult& result);
  void judge_count(CheckResult& result);
  void judge_arithmetic(CheckResult& result);
  void judge_group(CheckResult& result);
  void judge_stock(CheckResult& result);
  void judge_ranks(CheckResult& result);
  void judge_perf(const CheckRule& rule, CheckResult& result);
  // What there is to hold against a group that came to its end; empty: nothing.
  std::string objection_to(const ProbeStep& group) const;
  // Whether there is a step that was gone to its end, well or not; tells why not.
  const ProbeStep* ended_step(const BackendTrial& trial, std::string_view name,
                              const std::string& doing, CheckResult& result) const;
  // A step that was begun and not ended, or never begun.
  void tell_cut_off(const BackendTrial& trial, const std::string& doing, CheckResult& result) const;
  std::string release_hint() const;
  std::string group_hint(const std::string& error) const;  // of a group that did not come up
  std::string library_path() const;  // where the package has the backend's library; empty: nowhere

  const CheckedMachine& machine_;
  std::optional<BackendTrial> climb_;
};

}  // namespace topsctl
