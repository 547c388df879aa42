// What Python packages require of others (PEP 508), and whether a version is one of those required
// (PEP 440).
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

// One line of Requires-Dist; nothing if it cannot be read.
std::optional<PythonRequirement> parse_python_requirement(std::string_view field);

// Values by the names of PEP 508: "python_version", "sys_platform", ... and "extra", empty if none
// is meant.
using MarkerEnvironment = std::map<std::string, std::string, std::less<>>;
// Nothing if the marker cannot be read, or asks for what the environment does not have.
std::optional<bool> is_marker_met(std::string_view marker, const MarkerEnvironment& environment);

// Whether each specifier of the list takes the version; those that PEP 440 does not know, do.
bool accepts_python_version(std::string_view specifiers, std::string_view version);

}  // namespace topsctl
