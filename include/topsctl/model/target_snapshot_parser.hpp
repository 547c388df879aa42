// Reads target snapshots.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// Reads a snapshot strictly; `source` is how messages call it. Unknown keys, keys that stand there
// twice, and what is larger than the limits of target_snapshot.hpp are refused. Throws
// Error{bad_package}.
TargetSnapshot parse_target_snapshot(std::string_view json, const std::string& source);

}  // namespace topsctl
