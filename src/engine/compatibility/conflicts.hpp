// Breaks and Conflicts, and the order that they require.
#pragma once

#include <set>
#include <utility>

#include "engine/compatibility/debs.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"

namespace topsctl {

// Breaks and Conflicts between bundle and target, both ways, and within the bundle.
void check_conflicts(const ComparedDebs& debs, Findings& findings);

using Precedence = std::set<std::pair<const KnownDeb*, const KnownDeb*>>;  // first, then second

// Pairs in which the second breaks or conflicts with the installed version of the first, or vice
// versa, while the bundle's version of the first does not; or in which the second replaces a
// dependency of the installed version of the first.
Precedence exclusion_order(const ComparedDebs& debs);

}  // namespace topsctl
