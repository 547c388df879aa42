// The name of the machine that topsctl runs on.
#pragma once

#include <string>

namespace topsctl {

// As uname(2) has it; empty: it cannot be told.
std::string name_of_this_host();

}  // namespace topsctl
