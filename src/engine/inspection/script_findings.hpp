// What the maintainer scripts of a package would do that an operator should know.
#pragma once

#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// One finding for each rule of src/data/rules/maintainer-scripts.json that a script of the package
// breaks, and those on scripts that cannot be judged; worst first. The evidence names script, line
// and text. Scripts are judged up to 4 MiB and lines up to 16 KiB. Nothing is run; never throws for
// what a script holds.
std::vector<Finding> script_findings(const Package& package);

}  // namespace topsctl
