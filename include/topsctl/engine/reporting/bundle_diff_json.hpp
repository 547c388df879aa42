// JSON form of what changed from one bundle to another.
#pragma once

#include "topsctl/engine/reporting/bundle_diff.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// The form of docs/inspect.schema.json, `diff`.
Json to_json(const BundleDiff& diff);

}  // namespace topsctl
