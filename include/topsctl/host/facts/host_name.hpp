// The name of the host that topsctl runs on.
#pragma once

#include <string>

namespace topsctl {

// From uname(2); empty: unknown.
std::string name_of_this_host();

}  // namespace topsctl
