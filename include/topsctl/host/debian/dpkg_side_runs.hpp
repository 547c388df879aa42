// Programs that dpkg runs while it unpacks, besides the scripts of the unpacked packages.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Whether dpkg's configuration names programs (--pre-invoke, --post-invoke, --status-logger), or
// overrides checks of dpkg (--force-overwrite: a package may lose all its files, and its script is
// run).
bool has_dpkg_overrides(const Host& host);

// Paths with package triggers (deb-triggers(5)): for a file there or below, dpkg runs the scripts
// of the interested packages.
std::vector<std::string> trigger_paths(const Host& host);

}  // namespace topsctl
