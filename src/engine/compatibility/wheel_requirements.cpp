// Compares Requires-Dist with the distributions of an interpreter.
#include "topsctl/engine/compatibility/wheel_requirements.hpp"

#include <algorithm>

#include "engine/compatibility/interpreter_compatibility.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

MarkerEnvironment marker_environment(const PythonFacts& python, std::string_view architecture) {
  return {{"python_version", python.minor},
          {"python_full_version", python.version.empty() ? python.minor : python.version},
          {"implementation_name", "cpython"},
          {"platform_python_implementation", "CPython"},
          {"os_name", "posix"},
          {"sys_platform", "linux"},
          {"platform_system", "Linux"},
          {"platform_machine", machine_of(architecture)},
          {"extra", ""}};
}

std::vector<PythonRequirement> requirements_in(const std::vector<std::string>& fields,
                                               const MarkerEnvironment& environment) {
  std::vector<PythonRequirement> requirements;
  for (const std::string& field : fields) {
    auto requirement = parse_python_requirement(field);
    if (requirement && is_marker_met(requirement->marker, environment).value_or(false))
      requirements.push_back(*std::move(requirement));
  }
  return requirements;
}

bool is_met(const PythonRequirement& requirement, const std::string& version) {
  return !version.empty() && accepts_python_version(requirement.specifiers, version);
}

std::string unmet_requirement(const PythonRequirement& requirement, const std::string& version) {
  const std::string wanted = printable(concat(requirement.name, requirement.specifiers));
  if (version.empty()) return format("it requires {}, which is not installed", wanted);
  return format("it requires {}, and {} is installed", wanted, printable(version));
}

const InstalledWheel* installed_distribution(const PythonFacts& python, const std::string& name) {
  if (const InstalledWheel* wheel = python.wheel(name)) return wheel;
  const auto egg =
      std::find_if(python.eggs.begin(), python.eggs.end(), [&](const InstalledWheel& each) {
        return normalized_name(each.name) == normalized_name(name);
      });
  return egg == python.eggs.end() ? nullptr : &*egg;
}

}  // namespace topsctl
