// Whether a transaction changed only modification times.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Whether a plan only reinstalls the same versions: any other plan always changes something.
bool may_change_nothing(const Plan& plan);

// Whether the host differs from the backup in `store` only in modification times, and `new_paths`
// has nothing that stays. Files that dpkg, ldconfig(8) and Python rewrite with each install (old
// databases, indexes, byte code) do not count. Paths outside the write set are not checked.
bool differs_in_times_alone(const Host& host, const Snapshot& snapshot,
                            const std::vector<std::string>& new_paths,
                            const std::filesystem::path& store);

}  // namespace topsctl
