// Reads target snapshots.
#pragma once

#include <string>
#include <string_view>

#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

// Parses a snapshot strictly; `source` is its name in messages. Rejects unknown keys, duplicate
// keys, and data beyond the limits of target_snapshot.hpp. Throws Error{bad_package}.
TargetSnapshot parse_target_snapshot(std::string_view json, const std::string& source);

}  // namespace topsctl
