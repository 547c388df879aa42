// The packages for a repair without arguments.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// The SHA-256 of each package that was installed, by name and version. Another user may be able to
// replace the files of a bundle after its install.
using RecordedDigests = std::map<std::pair<std::string, std::string>, std::string>;

struct RepairSource {
  std::vector<std::string> bundle;  // absolute paths of existing files
  std::string stack;                // the stack file of that install; empty: none
  std::string python;               // the interpreter of its wheels; empty: no wheels
  RecordedDigests digests;          // of all installs in effect, by their reports
};

// From the newest install in effect whose packages still exist at their recorded paths. The files
// may have been replaced since: the caller compares digests. Throws Error{usage} if there is no
// such install, Error{host_unfit} if there is no install at all.
RepairSource repair_source(const Host& host);

// Throws Error{host_unfit} if users other than root can change the recorded interpreter.
void require_trusted(const Host& host, const RepairSource& source);

// Throws Error{bad_bundle} for a package that is to be installed and is not the recorded one.
void require_recorded(const RecordedDigests& digests, const std::vector<Package>& packages,
                      const std::function<bool(const Package&)>& is_changing);

// Words for a command line: the existing packages of the newest install, in any state. Empty if
// none exist or the history cannot be read.
std::vector<std::string> known_bundle(const Host& host);

}  // namespace topsctl
