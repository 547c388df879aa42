// Findings on the maintainer scripts of a package.
#pragma once

#include <vector>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// One finding for each rule of src/data/rules/maintainer-scripts.json that a script of the package
// violates, those on scripts that cannot be judged, and, with the contents, one if they run a
// program of the package that downloads; worst first. The evidence has script, line and text.
// Judges scripts up to 4 MiB and lines up to 16 KiB. Runs nothing; never throws because of a
// script's content.
std::vector<Finding> script_findings(const Package& package, const Contents* contents = nullptr);

}  // namespace topsctl
