// When dpkg's unpacking need not be observed.
#pragma once

#include "topsctl/engine/planning/planner.hpp"

namespace topsctl {

// Whether the write set covers everything that dpkg does until it configures the first package: it
// runs no writing script of these or other packages, removes nothing from other packages, and moves
// nothing. The plan has its packages.
bool is_unpacking_predicted(const PlanInput& input, const Plan& plan);

// Makes dpkg unpack in a separate call without observation, instead of --install.
void unpack_unobserved(Plan& plan);

// Whether a package of the plan breaks the installed version of another one that is replaced too:
// dpkg must deconfigure that one if it comes later (--auto-deconfigure, as apt uses it).
bool breaks_what_is_replaced(const Selection& selection, const Plan& plan);

}  // namespace topsctl
