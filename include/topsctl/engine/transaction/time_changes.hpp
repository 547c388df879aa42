// Whether a transaction has changed anything but times.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/model/plan.hpp"

namespace topsctl {

// Whether a plan installs nothing but the same versions once more: another one always leaves
// something.
bool may_change_nothing(const Plan& plan);

// Whether what was kept in `store` is as it was but for modification times, and `new_paths` has
// nothing that stays. What dpkg, ldconfig(8) and Python write for themselves with every install
// (old databases, indexes, byte code) does not count; what the write set does not name is not
// known.
bool differs_in_times_alone(const Host& host, const Snapshot& snapshot,
                            const std::vector<std::string>& new_paths,
                            const std::filesystem::path& store);

}  // namespace topsctl
