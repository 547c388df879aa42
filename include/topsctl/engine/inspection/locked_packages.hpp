// Compares packages with a lock.
#pragma once

#include <vector>

#include "topsctl/model/lock.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Throws Error{bad_package} for the first package whose bytes are not in the lock. Each package
// must have its digest.
void require_locked(const Lock& lock, const std::vector<Package>& packages);

// The same for the first package whose size no locked package has: a check that is possible before
// all packages are read. Reads its digest for the message.
void require_locked_sizes(const Lock& lock, const std::vector<Package>& packages);

// A mismatch with the lock is reported rather than a read error: reads the missing digests, and
// throws as require_locked() does.
void require_locked_files(const Lock& lock, std::vector<Package> packages);

}  // namespace topsctl
