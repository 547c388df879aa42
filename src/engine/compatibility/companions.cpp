// Compares the versions of wheels with those of the distributions that they extend.
#include "engine/compatibility/companions.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/compatibility/wheel_requirements.hpp"
#include "topsctl/model/finding_catalogue.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

namespace {

// "1.10" of "1.10.0+2.5.136"; empty: the version does not begin with two numbers.
std::string first_two_numbers(std::string_view version) {
  const auto end_of_number = [&](std::size_t at) {
    return std::min(version.find_first_not_of("0123456789", at), version.size());
  };
  const std::size_t first = end_of_number(0);
  if (first == 0 || first == version.size() || version[first] != '.') return {};
  const std::size_t second = end_of_number(first + 1);
  return second == first + 1 ? std::string() : std::string(version.substr(0, second));
}

// A distribution that a requirement refers to, as it will be after the install.
struct Found {
  std::string version;  // empty: not installed
  bool is_of_bundle = false;
};

class RequirementCheck {
 public:
  RequirementCheck(const Inspection& inspection, const InterpreterCompatibility& interpreter,
                   const PythonFacts& python, const TargetSnapshot& target,
                   const std::set<std::string>& fixed, Findings& findings)
      : inspection_(inspection),
        interpreter_(interpreter),
        python_(python),
        environment_(marker_environment(python, target.architecture)),
        fixed_(fixed),
        findings_(findings) {}

  void check(const Package& wheel) {
    std::vector<Evidence> of_fixed;
    std::vector<Evidence> of_others;
    for (const PythonRequirement& requirement : requirements_in(wheel.depends, environment_)) {
      const Found found = found_of(requirement.name);
      if (is_met(requirement, found.version)) continue;
      const bool is_fixed =
          !found.version.empty() && fixed_.contains(normalized_name(requirement.name));
      (is_fixed ? of_fixed : of_others).push_back(evidence(requirement, found));
    }
    add("fixed-requirement-unmet", wheel, of_fixed);
    add("wheel-requirement-unmet", wheel, of_others);
  }

 private:
  Found found_of(const std::string& name) const {
    for (const DistributionCompatibility& choice : interpreter_.wheels) {
      if (choice.wheel && choice.distribution == normalized_name(name))
        return {inspection_.inventory.packages[*choice.wheel].version, true};
    }
    const InstalledWheel* installed = installed_distribution(python_, name);
    return {installed == nullptr ? std::string() : installed->version, false};
  }

  Evidence evidence(const PythonRequirement& requirement, const Found& found) const {
    const std::string wanted = printable(concat(requirement.name, requirement.specifiers));
    return {interpreter_.executable, 0,
            found.is_of_bundle
                ? format("it requires {}, and the bundle has {}", wanted, found.version)
                : unmet_requirement(requirement, found.version)};
  }

  void add(const char* id, const Package& wheel, std::vector<Evidence>& evidence) {
    if (!evidence.empty()) findings_.push_back(make_finding(id, wheel.path, std::move(evidence)));
  }

  const Inspection& inspection_;
  const InterpreterCompatibility& interpreter_;
  const PythonFacts& python_;
  const MarkerEnvironment environment_;
  const std::set<std::string>& fixed_;
  Findings& findings_;
};

}  // namespace

std::set<std::string> fixed_distributions(const Stack& stack) {
  std::set<std::string> fixed;
  for (const std::string& name : stack.python.unchanged) fixed.insert(normalized_name(name));
  for (const Component& component : stack.components) {
    if (!component.beside.empty()) fixed.insert(normalized_name(component.beside));
  }
  return fixed;
}

void check_requirements(const Inspection& inspection,
                        const std::vector<InterpreterCompatibility>& interpreters,
                        const TargetSnapshot& target, const std::set<std::string>& fixed,
                        Findings& findings) {
  for (std::size_t i = 0; i < interpreters.size(); ++i) {
    if (!interpreters[i].is_taken) continue;
    RequirementCheck check(inspection, interpreters[i], target.pythons[i], target, fixed, findings);
    for (const DistributionCompatibility& choice : interpreters[i].wheels) {
      if (choice.wheel) check.check(inspection.inventory.packages[*choice.wheel]);
    }
  }
}

std::vector<Companion> companions_of(const Stack& stack) {
  std::vector<Companion> companions;
  for (const Component& component : stack.components) {
    if (component.beside.empty()) continue;
    for (const std::string& name : component.names)
      companions.push_back({normalized_name(name), component.beside});
  }
  return companions;
}

void check_companions(const Inspection& inspection,
                      const std::vector<InterpreterCompatibility>& interpreters,
                      const TargetSnapshot& target, const std::vector<Companion>& companions,
                      Findings& findings) {
  for (std::size_t i = 0; i < interpreters.size(); ++i) {
    if (!interpreters[i].is_taken) continue;
    for (const DistributionCompatibility& choice : interpreters[i].wheels) {
      const auto companion =
          std::find_if(companions.begin(), companions.end(),
                       [&](const Companion& each) { return each.wheel == choice.distribution; });
      if (!choice.wheel || companion == companions.end()) continue;
      const Package& wheel = inspection.inventory.packages[*choice.wheel];
      const InstalledWheel* beside = installed_distribution(target.pythons[i], companion->beside);
      const std::string wanted = first_two_numbers(wheel.version);
      if (beside == nullptr || wanted.empty() || first_two_numbers(beside->version) == wanted)
        continue;
      findings.push_back(
          make_finding("companion-version-differs", wheel.path,
                       {{interpreters[i].executable, 0,
                         format("{} {} is installed, the wheel is for {} {}", beside->name,
                                beside->version, companion->beside, wanted)}}));
    }
  }
}

}  // namespace topsctl
