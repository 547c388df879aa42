// How a bundle fits a machine, as tables for people.
#pragma once

#include <vector>

#include "cli/inspection_text.hpp"
#include "topsctl/engine/compatibility/compatibility.hpp"

namespace topsctl {

// What would change, in the order of installation; interpreters and their wheels; space.
std::vector<TextSection> fit_sections(const CompatibilityReport& fit, const Inventory& inventory,
                                      const TargetSnapshot& target);

}  // namespace topsctl
