// The text of `topsctl -h`.
#pragma once

#include <string>

#include "cli/render.hpp"

namespace topsctl {

// The commands by purpose, the options of every command, and three examples. At most 40 lines.
std::string program_help(const Style& style);

}  // namespace topsctl
