// Paths that a maintainer script mentions, because it probably writes some of them.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace topsctl {

// Every absolute path in the text of a script, for any use. For a path with a variable or a
// pattern, the part before it, up to the last slash. Without places that packages do not install
// into: /dev, /proc, /sys, /run, and the temporary and log directories.
std::set<std::string> mentioned_paths(std::string_view script);

}  // namespace topsctl
