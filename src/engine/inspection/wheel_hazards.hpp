// Effects of a wheel on Python and on the system beyond its own package.
#pragma once

#include <string_view>
#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Code that runs at each Python start, metadata and files of other distributions, programs that
// replace the system's. Judged by names only, except for .pth files.
std::vector<Finding> wheel_hazards(const Package& package);

// Whether root or package scripts run a program of that name.
bool is_system_program(std::string_view name);

}  // namespace topsctl
