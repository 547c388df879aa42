// Reads the name of the host that topsctl runs on.
#include "topsctl/host/facts/host_name.hpp"

#include <sys/utsname.h>

#include "topsctl/base/text.hpp"

namespace topsctl {

std::string name_of_this_host() {
  utsname running{};
  if (::uname(&running) != 0) return "";
  const char* name = running.nodename;
  return printable(name);
}

}  // namespace topsctl
