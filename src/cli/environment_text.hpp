// The text of `topsctl env check`.
#pragma once

#include <string>

#include "cli/render.hpp"
#include "topsctl/engine/checks/environment_check.hpp"

namespace topsctl {

// A finding on a chosen variable, on one line.
std::string setting_warning(const Finding& finding);
// Each variable with its places, the findings, and their number as the last line.
std::string render_environment_check(const EnvironmentCheck& check, const Style& style);

}  // namespace topsctl
