// Whether a root directory is a Debian or Ubuntu system that may be looked at or changed.
#pragma once

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Refuses, before anything else, a root that is no Debian-like system and, unless only planning, a
// user that is not root. Where there are transactions already, looking back and undoing need no
// dpkg; and a user's own need no root. Throws Error{host_unfit, permission}.
enum class Purpose { look, look_back, change, undo };
void require_usable_host(const Host& host, Purpose purpose);

}  // namespace topsctl
