// Which paths a maintainer script names: the likely ones among those that it writes.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace topsctl {

// Every absolute path that stands in the text of a script, whatever the script does with it. Of a
// path with a variable or a pattern in it, the part before, up to the last slash. Not those that no
// package installs into: /dev, /proc, /sys, /run, and the temporary and log folders.
std::set<std::string> mentioned_paths(std::string_view script);

}  // namespace topsctl
