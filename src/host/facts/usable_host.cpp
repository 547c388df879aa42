// Rejects roots that are not Debian or Ubuntu systems, and changes by users other than root.
#include "topsctl/host/facts/usable_host.hpp"

#include <sys/stat.h>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

void require_usable_host(const Host& host, Purpose purpose) {
  struct stat status {};
  if (::stat(host.root.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::host_unfit,
                format("no such root directory: {}", missing_path(host.root)),
                "give the root directory of the system to work on with --root");
  }
  const bool is_of_past = purpose == Purpose::look_back || purpose == Purpose::undo;
  const bool is_change = purpose == Purpose::change || purpose == Purpose::undo;
  const bool has_past =
      is_of_past && ::stat(host.resolve(concat(host.state, "/transactions")).c_str(), &status) == 0;
  if (!has_past && ::stat(host.resolve(dpkg_status_file).c_str(), &status) != 0) {
    throw Error(ErrorCode::host_unfit,
                format("{} is not a Debian or Ubuntu system: it has no {}",
                       in_quotes(host.root.string()), dpkg_status_file),
                "give the root directory of a Debian or Ubuntu system with --root");
  }
  if (is_change && !is_root_user() && !(has_past && host.is_of_user())) {
    throw Error(ErrorCode::permission, "only root can change a system",
                "run the same command with sudo");
  }
  if (is_change && ::stat("/proc/self/fd", &status) != 0) {
    throw Error(ErrorCode::host_unfit, "/proc is not mounted",
                "mount it: mount -t proc proc /proc");
  }
}

}  // namespace topsctl
