// Requirements of Python packages (PEP 508), and whether a version meets them (PEP 440).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

struct PythonRequirement {
  std::string name;        // as written
  std::string specifiers;  // "==1.10.0,!=1.10.1"; empty: any version, also for a URL
  std::string marker;      // empty: always
};

// Parses one line of Requires-Dist; nothing if it is invalid.
std::optional<PythonRequirement> parse_python_requirement(std::string_view field);

// Values by the names of PEP 508: "python_version", "sys_platform", ... and "extra", empty if no
// extra is selected.
using MarkerEnvironment = std::map<std::string, std::string, std::less<>>;
// Nothing if the marker is invalid, or uses a variable that the environment does not have.
std::optional<bool> is_marker_met(std::string_view marker, const MarkerEnvironment& environment);

// Whether each specifier of the list accepts the version; specifiers that are not PEP 440 compliant
// accept all.
bool accepts_python_version(std::string_view specifiers, std::string_view version);

}  // namespace topsctl
