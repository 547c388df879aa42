// Compares the versions of wheels with those of the distributions that they extend.
#include "engine/compatibility/companions.hpp"

#include <algorithm>

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

}  // namespace

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
