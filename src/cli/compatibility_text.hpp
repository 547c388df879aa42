// Tables that show how a bundle fits a host.
#pragma once

#include <vector>

#include "cli/inspection_text.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

// Planned changes, in the order of installation; interpreters and their wheels; space.
std::vector<TextSection> fit_sections(const CompatibilityReport& fit, const Inventory& inventory,
                                      const TargetSnapshot& target);

}  // namespace topsctl
