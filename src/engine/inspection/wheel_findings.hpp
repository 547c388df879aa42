// Findings on a single wheel.
#pragma once

#include <vector>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Only for wheels: tags, version, the Python that extension modules were built for.
std::vector<Finding> wheel_findings(const Package& package, const Contents* contents);

}  // namespace topsctl
