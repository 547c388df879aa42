// JSON form of the differences between two bundles.
#pragma once

#include "topsctl/engine/reporting/bundle_diff.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// As in docs/inspect.schema.json, `diff`.
Json to_json(const BundleDiff& diff);

}  // namespace topsctl
