// The differences between two bundles as text for people.
#pragma once

#include <string>

#include "cli/finding_text.hpp"
#include "topsctl/engine/reporting/bundle_diff.hpp"

namespace topsctl {

// Added, removed and changed packages, each change with its lists; new privileges in red. Brief:
// ten items per list.
std::string render_diff(const BundleDiff& diff, Detail detail, const Style& style);

}  // namespace topsctl
