// What an operator should know of a single package.
#pragma once

#include <vector>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Whether it is sound, what it brings, and whether its claims agree with its data; not what its
// scripts do (script_findings.hpp). One finding for each id, with the evidence of all files.
// `contents` is null where the data was not read. Pure.
std::vector<Finding> package_findings(const Package& package, const Contents* contents);

}  // namespace topsctl
