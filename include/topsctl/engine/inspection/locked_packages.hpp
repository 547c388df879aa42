// Packages against a lock.
#pragma once

#include <vector>

#include "topsctl/model/lock.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Throws Error{bad_package} for the first of these packages whose bytes are not in the lock.
void require_locked(const Lock& lock, const std::vector<Package>& packages);

}  // namespace topsctl
