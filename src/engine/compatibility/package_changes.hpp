// Changes to the packages of a target, and packages that dpkg would reject.
#pragma once

#include <string_view>
#include <vector>

#include "engine/compatibility/debs.hpp"
#include "engine/compatibility/evidence_excerpt.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

// Architecture, compression, fields that cannot be read, packages that are not completely
// installed.
void check_packages(const ComparedDebs& debs, const TargetSnapshot& target, Findings& findings);

ChangeAction change_action(std::string_view now, std::string_view then,
                           int (*compare)(std::string_view, std::string_view));

std::vector<CompatibilityChange> deb_changes(const ComparedDebs& debs,
                                             const std::vector<const KnownDeb*>& order,
                                             Findings& findings);

}  // namespace topsctl
