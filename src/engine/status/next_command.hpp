// What to type next on a host.
#pragma once

#include "topsctl/engine/status/host_status.hpp"

namespace topsctl {

// What waits comes first, then what is broken, then what a training needs. Looks into the directory
// of the request, and at nothing else.
NextCommand next_command(const HostStatus& status, const StatusRequest& request);

}  // namespace topsctl
