// The packages for a repair without arguments.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct RepairSource {
  std::vector<std::string> bundle;  // absolute paths of existing files
  std::string stack;                // the stack file of that install; empty: none
  std::string python;               // the interpreter of its wheels; empty: no wheels
};

// From the newest install in effect whose packages still exist at their recorded paths. The files
// may have been replaced since: the caller compares versions. Throws Error{usage} if there is no
// such install.
RepairSource repair_source(const Host& host);

// Words for a command line: the existing packages of the newest install, in any state. Empty if
// none exist or the history cannot be read.
std::vector<std::string> known_bundle(const Host& host);

}  // namespace topsctl
