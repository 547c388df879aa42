// Whether a root directory is a Debian or Ubuntu system that may be looked at or changed.
#pragma once

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Refuses, before anything else, a root that is no Debian-like system and, unless only planning, a
// user that is not root. Throws Error{host_unfit, permission}.
enum class Purpose { look, change };
void require_usable_host(const Host& host, Purpose purpose);

}  // namespace topsctl
