// Rejects packages that differ from a lock.
#include "topsctl/engine/inspection/locked_packages.hpp"

#include <algorithm>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

void require_locked_files(const Lock& lock, std::vector<Package> packages) {
  for (Package& package : packages) {
    if (package.sha256.empty()) package.sha256 = sha256_of_file(package.location);
  }
  require_locked(lock, packages);
}

void require_locked_sizes(const Lock& lock, const std::vector<Package>& packages) {
  for (const Package& package : packages) {
    const bool is_of_locked_size =
        std::any_of(lock.packages.begin(), lock.packages.end(),
                    [&](const LockedPackage& locked) { return locked.size == package.size; });
    if (!is_of_locked_size) require_locked_files(lock, {package});
  }
}

void require_locked(const Lock& lock, const std::vector<Package>& packages) {
  for (const Package& package : packages) {
    const auto difference = difference_from(lock, package);
    if (!difference) continue;
    const bool is_known = difference->kind == LockDifference::Kind::changed;
    throw Error(ErrorCode::bad_package,
                is_known ? format("{} does not match the lock: its sha256 is {}, the lock has {}",
                                  in_quotes(package.path), difference->found_sha256,
                                  difference->locked_sha256)
                         : format("{} is not in the lock; its sha256 is {}",
                                  in_quotes(package.path), difference->found_sha256),
                "copy the package again from where the lock was made; if this package is intended, "
                "inspect the bundle and write a new lock with `topsctl lock BUNDLE --output FILE`");
  }
}

}  // namespace topsctl
