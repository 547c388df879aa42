// Depends and Pre-Depends, of the bundle and of installed packages.
#pragma once

#include "engine/compatibility/debs.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"

namespace topsctl {

// Depends and Pre-Depends of the bundle, and of installed packages that were met before.
void check_dependencies(const ComparedDebs& debs, const Inspection& inspection, Findings& findings);

}  // namespace topsctl
