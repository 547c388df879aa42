// What makes dpkg run programs while it unpacks, besides the scripts of the packages themselves.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Whether dpkg's configuration names programs (--pre-invoke, --post-invoke, --status-logger), or
// has dpkg do what it would refuse (--force-overwrite: a package may lose all its files, and its
// script is run).
bool has_dpkg_overrides(const Host& host);

// Paths in which packages are interested (deb-triggers(5)): a file there or below has dpkg run
// their scripts.
std::vector<std::string> trigger_paths(const Host& host);

}  // namespace topsctl
