// What an operator should know of a single package.
#pragma once

#include <string_view>
#include <vector>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Whether it is sound, what it brings, and whether its claims agree with its data; not what its
// scripts do (script_findings.hpp). One finding for each id, with the evidence of all files.
// `contents` is null where the data was not read. Pure.
std::vector<Finding> package_findings(const Package& package, const Contents* contents);

// Whether nobody can accept a finding of that id on a wheel: pip could not install it, or it is not
// what its RECORD says.
bool is_final_for_wheels(std::string_view id);

}  // namespace topsctl
