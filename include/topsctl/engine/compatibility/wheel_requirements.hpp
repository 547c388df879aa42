// What a wheel requires of other distributions, and whether an interpreter has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/python_requirement.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// Of CPython on Linux, without extras (PEP 508). `architecture` is dpkg's name.
MarkerEnvironment marker_environment(const PythonFacts& python, std::string_view architecture);

// Those of these lines of Requires-Dist whose marker is met. What cannot be read, or whose marker
// cannot be judged, is passed over.
std::vector<PythonRequirement> requirements_in(const std::vector<std::string>& fields,
                                               const MarkerEnvironment& environment);

// By a distribution of this version; empty: it is not there.
bool is_met(const PythonRequirement& requirement, const std::string& version);

// "it requires torch==2.9.0, and 2.9.1 is installed". Printable.
std::string unmet_requirement(const PythonRequirement& requirement, const std::string& version);

// Of the facts' wheels and eggs; nullptr: none of this name.
const InstalledWheel* installed_distribution(const PythonFacts& python, const std::string& name);

}  // namespace topsctl
