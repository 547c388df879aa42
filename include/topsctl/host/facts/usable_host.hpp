// Whether a root directory is a Debian or Ubuntu system that may be read or changed.
#pragma once

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Rejects, before anything else, a root that is not a Debian-like system and, unless only planning,
// a user that is not root. If transactions exist, reading history and rolling back need no dpkg; a
// user's own transactions need no root. Throws Error{host_unfit, permission}.
enum class Purpose { look, look_back, change, undo };
void require_usable_host(const Host& host, Purpose purpose);

}  // namespace topsctl
