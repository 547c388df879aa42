// The links of update-alternatives(1).
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// The links that update-alternatives(1) manages, of all groups and their slaves.
std::vector<std::string> alternative_links(const Host& host);

}  // namespace topsctl
