// The daemons of a host, as /proc shows them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct DaemonProcess {
  pid_t pid = 0;
  std::string file;  // of the program, or of the script or archive that it runs
  bool operator==(const DaemonProcess&) const = default;
};

// Processes of this root directory without a terminal that init has taken over, or whose parent is
// one of these, and that run a file for which `is_wanted` holds: /proc/PID/exe, or an absolute path
// among their arguments. The file's path is canonical, as the host sees it. By pid.
std::vector<DaemonProcess> daemons_of(const Host& host,
                                      const std::function<bool(const std::string&)>& is_wanted);

}  // namespace topsctl
