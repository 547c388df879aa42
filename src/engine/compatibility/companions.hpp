// Wheels that work beside one release of another distribution only.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/compatibility/package_changes.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

// Tells of wheels whose companion has another version for the interpreter that takes them. One that
// is not installed is no matter of this check.
void check_companions(const Inspection& inspection,
                      const std::vector<InterpreterCompatibility>& interpreters,
                      const TargetSnapshot& target, const std::vector<Companion>& companions,
                      Findings& findings);

// Compares what the wheels require (Requires-Dist) with what the interpreter that takes them has,
// or gets: wheels of a bundle are installed without their dependencies. Requirements that cannot be
// read, or whose marker cannot be judged, are passed over.
void check_requirements(const Inspection& inspection,
                        const std::vector<InterpreterCompatibility>& interpreters,
                        const TargetSnapshot& target, const std::set<std::string>& fixed,
                        Findings& findings);

}  // namespace topsctl
