// Refuses packages that are not what a lock says.
#include "topsctl/engine/inspection/locked_packages.hpp"

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

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
