// The text of `topsctl env check`.
#pragma once

#include <string>

#include "cli/render.hpp"
#include "topsctl/engine/checks/environment_check.hpp"

namespace topsctl {

// Each variable with its places, the findings, and their number as the last line.
std::string render_environment_check(const EnvironmentCheck& check, const Style& style);

}  // namespace topsctl
