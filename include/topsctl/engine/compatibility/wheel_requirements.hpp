// Requirements of a wheel, and whether an interpreter meets them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/python_requirement.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// For CPython on Linux, without extras (PEP 508). `architecture` is dpkg's name.
MarkerEnvironment marker_environment(const PythonFacts& python, std::string_view architecture);

// The requirements of these Requires-Dist lines whose marker is met. Skips invalid lines and
// markers that cannot be evaluated.
std::vector<PythonRequirement> requirements_in(const std::vector<std::string>& fields,
                                               const MarkerEnvironment& environment);

// Whether a distribution of this version meets it; empty: not installed.
bool is_met(const PythonRequirement& requirement, const std::string& version);

// "it requires torch==2.9.0, and 2.9.1 is installed". Printable.
std::string unmet_requirement(const PythonRequirement& requirement, const std::string& version);

// Among the wheels and eggs of the facts; nullptr: not installed.
const InstalledWheel* installed_distribution(const PythonFacts& python, const std::string& name);

}  // namespace topsctl
