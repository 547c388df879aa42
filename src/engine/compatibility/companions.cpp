// Compares the versions of wheels with those of the distributions that they extend.
#include "engine/compatibility/companions.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "engine/compatibility/interpreter_compatibility.hpp"
#include "topsctl/base/python_requirement.hpp"
#include "topsctl/base/text.hpp"
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

const InstalledWheel* installed_as(const std::string& name, const PythonFacts& python) {
  if (const InstalledWheel* wheel = python.wheel(name)) return wheel;
  const auto egg =
      std::find_if(python.eggs.begin(), python.eggs.end(), [&](const InstalledWheel& each) {
        return normalized_name(each.name) == normalized_name(name);
      });
  return egg == python.eggs.end() ? nullptr : &*egg;
}

MarkerEnvironment environment_of(const PythonFacts& python, const TargetSnapshot& target) {
  return {{"python_version", python.minor},
          {"python_full_version", python.version.empty() ? python.minor : python.version},
          {"implementation_name", "cpython"},
          {"platform_python_implementation", "CPython"},
          {"os_name", "posix"},
          {"sys_platform", "linux"},
          {"platform_system", "Linux"},
          {"platform_machine", machine_of(target.architecture)},
          {"extra", ""}};
}

// What the requirement finds of a distribution once all is installed.
struct Found {
  std::string version;  // empty: it is not there
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
        environment_(environment_of(python, target)),
        fixed_(fixed),
        findings_(findings) {}

  void check(const Package& wheel) {
    std::vector<Evidence> of_fixed;
    std::vector<Evidence> of_others;
    for (const std::string& field : wheel.depends) {
      const auto requirement = parse_python_requirement(field);
      if (!requirement || !is_marker_met(requirement->marker, environment_).value_or(false))
        continue;
      const Found found = found_of(requirement->name);
      const bool is_met =
          !found.version.empty() && accepts_python_version(requirement->specifiers, found.version);
      if (is_met) continue;
      const bool is_fixed =
          !found.version.empty() && fixed_.contains(normalized_name(requirement->name));
      (is_fixed ? of_fixed : of_others).push_back(evidence(*requirement, found));
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
    const InstalledWheel* installed = installed_as(name, python_);
    return {installed == nullptr ? std::string() : installed->version, false};
  }

  Evidence evidence(const PythonRequirement& requirement, const Found& found) const {
    const std::string wanted = printable(concat(requirement.name, requirement.specifiers));
    std::string text = found.version.empty()
                           ? format("it requires {}, which is not installed", wanted)
                       : found.is_of_bundle
                           ? format("it requires {}, and the bundle has {}", wanted, found.version)
                           : format("it requires {}, and {} is installed", wanted, found.version);
    return {interpreter_.executable, 0, std::move(text)};
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
      const InstalledWheel* beside = installed_as(companion->beside, target.pythons[i]);
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
