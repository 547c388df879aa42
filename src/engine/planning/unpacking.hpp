// When dpkg's unpacking need not be observed.
#pragma once

#include "topsctl/engine/planning/planner.hpp"

namespace topsctl {

// Whether the write set has all that dpkg does until it configures the first package: it runs no
// script that writes, of these packages or of others, takes nothing away from other packages, and
// moves nothing. The plan has its packages.
bool is_unpacking_predicted(const PlanInput& input, const Plan& plan);

// Has dpkg unpack by a call of its own, which is not observed, in the place of --install.
void unpack_unobserved(Plan& plan);

// Whether a package of the plan breaks the installed version of another one that is replaced, too:
// dpkg has to deconfigure that one if it comes later (--auto-deconfigure, as apt has it).
bool breaks_what_is_replaced(const Selection& selection, const Plan& plan);

}  // namespace topsctl
