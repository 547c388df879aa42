// What an operator should know of a bundle, before any machine is looked at.
#pragma once

#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

// Of its archives, its packages and their scripts; worst first. Pure.
std::vector<Finding> bundle_findings(const Inspection& inspection);

}  // namespace topsctl
