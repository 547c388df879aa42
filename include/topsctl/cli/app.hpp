// argv in, text and exit status out.
#pragma once

#include <string>
#include <vector>

namespace topsctl {

// Runs the program; never throws. Returns the exit status.
int run(const std::vector<std::string>& arguments);

}  // namespace topsctl
