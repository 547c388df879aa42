// The daemons of a host, from /proc.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct DaemonProcess {
  pid_t pid = 0;
  std::string file;  // the program, or the script or archive that it runs
  bool operator==(const DaemonProcess&) const = default;
};

// Processes of this root directory without a terminal whose parent is init or another such process,
// and that run a file selected by `is_wanted`: /proc/PID/exe, or an absolute path among their
// arguments. The file's path is canonical, as on the host. By pid.
std::vector<DaemonProcess> daemons_of(const Host& host,
                                      const std::function<bool(const std::string&)>& is_wanted);

}  // namespace topsctl
