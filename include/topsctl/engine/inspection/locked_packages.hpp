// Packages against a lock.
#pragma once

#include <vector>

#include "topsctl/model/lock.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Throws Error{bad_package} for the first of these packages whose bytes are not in the lock. Each
// has its digest.
void require_locked(const Lock& lock, const std::vector<Package>& packages);

// The same for one of a size that no locked package has: what can be told before all is read. Reads
// its digest for the message.
void require_locked_sizes(const Lock& lock, const std::vector<Package>& packages);

// What is not in the lock says more than that it cannot be read: reads the digests that are
// missing, and throws as require_locked() does.
void require_locked_files(const Lock& lock, std::vector<Package> packages);

}  // namespace topsctl
