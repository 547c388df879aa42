// The recommended next command on a host.
#pragma once

#include "topsctl/engine/status/host_status.hpp"

namespace topsctl {

// Pending transactions come first, then damage, then the needs of a training. Reads the directory
// of the request, and nothing else.
NextCommand next_command(const HostStatus& status, const StatusRequest& request);

}  // namespace topsctl
