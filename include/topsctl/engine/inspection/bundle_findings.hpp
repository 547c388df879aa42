// Findings on a bundle that do not depend on a host.
#pragma once

#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

// On its archives, its packages and their scripts; worst first. Pure.
std::vector<Finding> bundle_findings(const Inspection& inspection);

}  // namespace topsctl
