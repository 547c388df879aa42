// How a bundle fits a machine, as tables for people.
#pragma once

#include <vector>

#include "topsctl/cli/inspection_text.hpp"
#include "topsctl/engine/fit.hpp"

namespace topsctl {

// What would change, in the order of installation; interpreters and their wheels; space.
std::vector<TextSection> fit_sections(const Fit& fit, const Inventory& inventory,
                                      const TargetSnapshot& target);

}  // namespace topsctl
