// Wheels and interpreters: which fit together, and how pip handles them.
#include "engine/compatibility/wheels.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/compatibility/interpreter_compatibility.hpp"
#include "engine/compatibility/package_changes.hpp"
#include "topsctl/base/python_version.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace {

using Distributions = std::map<std::string, std::vector<std::size_t>>;

// The newest first; for the same version, a wheel for one Python before one for any.
bool is_newer_distribution(const Package& a, const Package& b) {
  if (const int order = compare_python_versions(a.version, b.version); order != 0) return order > 0;
  const bool is_exact_a = a.python && a.python->minor;
  const bool is_exact_b = b.python && b.python->minor;
  if (is_exact_a != is_exact_b) return is_exact_a;
  return a.path < b.path;
}

Distributions distributions(const Inventory& inventory, const std::vector<std::size_t>& wheels) {
  Distributions found;
  for (const std::size_t index : wheels) {
    found[normalized_name(inventory.packages[index].name)].push_back(index);
  }
  for (auto& [name, indices] : found) {
    std::sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
      return is_newer_distribution(inventory.packages[a], inventory.packages[b]);
    });
  }
  return found;
}

DistributionCompatibility choice_for(const std::string& distribution,
                                     const std::vector<std::size_t>& wheels,
                                     const Inventory& inventory, const PythonFacts& python,
                                     const TargetSnapshot& target) {
  DistributionCompatibility choice{distribution, std::nullopt, ""};
  for (const std::size_t index : wheels) {
    const WheelVerdict verdict = wheel_verdict(inventory.packages[index], python, target);
    if (verdict.fits()) return {distribution, index, verdict.why};
    if (choice.why.empty()) choice.why = verdict.why;
  }
  return choice;
}

std::size_t fitting(const InterpreterCompatibility& interpreter) {
  return static_cast<std::size_t>(std::count_if(
      interpreter.wheels.begin(), interpreter.wheels.end(),
      [](const DistributionCompatibility& choice) { return choice.wheel.has_value(); }));
}

// Selects the interpreter that fits most wheels: first those that an install would try, among these
// one with pip.
void take_one(std::vector<InterpreterCompatibility>& interpreters,
              const std::vector<std::string>& executables) {
  const auto worth = [&](const InterpreterCompatibility& interpreter) {
    const auto at = std::find(executables.begin(), executables.end(), interpreter.executable);
    return std::tuple(fitting(interpreter), executables.end() - at,
                      !interpreter.pip_version.empty());
  };
  const auto best =
      std::max_element(interpreters.begin(), interpreters.end(),
                       [&](const InterpreterCompatibility& a, const InterpreterCompatibility& b) {
                         return worth(a) < worth(b);
                       });
  if (best != interpreters.end() && fitting(*best) > 0) best->is_taken = true;
}

// --- findings

class WheelChecks {
 public:
  WheelChecks(const Inventory& inventory, const TargetSnapshot& target,
              const CompatibilityRules& rules,
              const std::vector<InterpreterCompatibility>& interpreters, Findings& findings)
      : inventory_(inventory),
        target_(target),
        rules_(rules),
        interpreters_(interpreters),
        findings_(findings) {}

  void check(const std::string& distribution, const std::vector<std::size_t>& wheels) {
    std::vector<const InterpreterCompatibility*> takers;
    for (const InterpreterCompatibility& interpreter : interpreters_) {
      for (const DistributionCompatibility& choice : interpreter.wheels) {
        if (choice.distribution == distribution && choice.wheel) takers.push_back(&interpreter);
      }
    }
    if (takers.empty() && !target_.are_pythons_known) {
      unasked_.push_back({package(wheels.front()).path, 0, "only root may query the interpreters"});
      return;
    }
    if (takers.empty()) {
      report_no_interpreter(wheels);
      return;
    }
    check_pip(distribution, takers);
  }

  void report_unasked() {
    if (unasked_.empty()) return;
    const std::string first = unasked_.front().source;
    findings_.push_back(
        make_finding("interpreters-not-asked", first, shortened(std::move(unasked_))));
  }

 private:
  const Package& package(std::size_t index) const { return inventory_.packages[index]; }

  void report_no_interpreter(const std::vector<std::size_t>& wheels) {
    std::vector<Evidence> evidence;
    bool is_all_architecture = true;
    const PythonFacts nothing;
    for (const std::size_t index : wheels) {
      const std::string& path = package(index).path;
      if (target_.pythons.empty()) is_all_architecture = false;
      for (const PythonFacts& python : target_.pythons) {
        const WheelVerdict verdict = wheel_verdict(package(index), python, target_);
        is_all_architecture &= verdict.obstacle == WheelObstacle::architecture;
        evidence.push_back(
            {path, 0,
             format("not for {} (Python {}): {}", python.executable, python.minor, verdict.why)});
      }
      if (target_.pythons.empty()) evidence.push_back({path, 0, "the target has no Python"});
    }
    findings_.push_back(
        make_finding(is_all_architecture ? "architecture-differs" : "no-interpreter-for-wheel",
                     package(wheels.front()).path, shortened(std::move(evidence))));
  }

  // pip rejects a file name or metadata with a version that is not PEP 440 compliant.
  static std::string refused_version(const Package& wheel) {
    if (!is_pep440_version(wheel.version)) return wheel.version;
    if (wheel.wheel && !wheel.wheel->file_version.empty() &&
        !is_pep440_version(wheel.wheel->file_version)) {
      return wheel.wheel->file_version;
    }
    return {};
  }

  void check_pip(const std::string& distribution,
                 const std::vector<const InterpreterCompatibility*>& takers) {
    std::map<std::string, std::vector<Evidence>> by_path;
    for (const InterpreterCompatibility* taker : takers) {
      if (taker->pip_version.empty()) continue;
      const auto choice = std::find_if(
          taker->wheels.begin(), taker->wheels.end(),
          [&](const DistributionCompatibility& one) { return one.distribution == distribution; });
      const Package& wheel = package(*choice->wheel);
      const std::string refused = refused_version(wheel);
      if (refused.empty() || compare_python_versions(taker->pip_version, rules_.strict_pip) < 0) {
        return;  // this interpreter accepts it
      }
      by_path[wheel.path].push_back(
          {taker->executable, 0,
           format("pip {} rejects version {}", taker->pip_version, in_quotes(refused))});
    }
    for (auto& [path, evidence] : by_path) {
      findings_.push_back(
          make_finding("pip-refuses-version", path, shortened(std::move(evidence))));
    }
  }

  const Inventory& inventory_;
  const TargetSnapshot& target_;
  const CompatibilityRules& rules_;
  const std::vector<InterpreterCompatibility>& interpreters_;
  Findings& findings_;
  std::vector<Evidence> unasked_;
};

// The version of an interpreter's distribution; empty: not installed.
std::string installed_version(const std::string& distribution, const PythonFacts& python) {
  for (const InstalledWheel& wheel : python.wheels) {
    if (normalized_name(wheel.name) == distribution) return wheel.version;
  }
  return {};
}

}  // namespace

std::vector<InterpreterCompatibility> interpreter_fits(const Inspection& inspection,
                                                       const std::vector<std::size_t>& wheels,
                                                       const TargetSnapshot& target,
                                                       const CompatibilityRules& rules) {
  const Distributions all = distributions(inspection.inventory, wheels);
  std::vector<InterpreterCompatibility> fits;
  for (const PythonFacts& python : target.pythons) {
    InterpreterCompatibility fit{python.executable, python.minor, python.pip_version, false, {}};
    for (const auto& [distribution, indices] : all) {
      fit.wheels.push_back(choice_for(distribution, indices, inspection.inventory, python, target));
    }
    fits.push_back(std::move(fit));
  }
  take_one(fits, rules.executables);
  return fits;
}

void check_wheels(const Inspection& inspection, const std::vector<std::size_t>& wheels,
                  const TargetSnapshot& target, const CompatibilityRules& rules,
                  const std::vector<InterpreterCompatibility>& interpreters, Findings& findings) {
  WheelChecks checks(inspection.inventory, target, rules, interpreters, findings);
  for (const auto& [distribution, indices] : distributions(inspection.inventory, wheels)) {
    checks.check(distribution, indices);
  }
  checks.report_unasked();
}

std::vector<CompatibilityChange> wheel_changes(
    const Inspection& inspection, const TargetSnapshot& target,
    const std::vector<InterpreterCompatibility>& interpreters, Findings& findings) {
  std::vector<CompatibilityChange> changes;
  for (std::size_t i = 0; i < interpreters.size(); ++i) {
    const InterpreterCompatibility& interpreter = interpreters[i];
    if (!interpreter.is_taken) continue;
    for (const DistributionCompatibility& choice : interpreter.wheels) {
      if (!choice.wheel) continue;
      const Package& wheel = inspection.inventory.packages[*choice.wheel];
      const std::string now = installed_version(choice.distribution, target.pythons[i]);
      const ChangeAction action = change_action(now, wheel.version, compare_python_versions);
      changes.push_back({*choice.wheel, interpreter.executable, now, wheel.version, action});
      if (action != ChangeAction::downgrade) continue;
      findings.push_back(make_finding(
          "package-downgrade", wheel.path,
          {{interpreter.executable, 0,
            format("{} {} is installed, the wheel has {}", wheel.name, now, wheel.version)}}));
    }
  }
  return changes;
}

}  // namespace topsctl
