// Wheels that work only with one release of another distribution.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/compatibility/package_changes.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

// Reports wheels whose companion has another version in the interpreter that they go to. Ignores
// companions that are not installed.
void check_companions(const Inspection& inspection,
                      const std::vector<InterpreterCompatibility>& interpreters,
                      const TargetSnapshot& target, const std::vector<Companion>& companions,
                      Findings& findings);

// Compares the requirements of the wheels (Requires-Dist) with the present and future distributions
// of the interpreter that they go to: wheels of a bundle are installed without their dependencies.
// Skips requirements that are invalid or whose marker cannot be evaluated.
void check_requirements(const Inspection& inspection,
                        const std::vector<InterpreterCompatibility>& interpreters,
                        const TargetSnapshot& target, const std::set<std::string>& fixed,
                        Findings& findings);

}  // namespace topsctl
