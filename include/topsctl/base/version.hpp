// The version of topsctl, and the ordering of Debian's versions.
#pragma once

#include <string_view>

namespace topsctl {

// "0.1.0"
std::string_view topsctl_version();

// Debian policy 5.6.12, dpkg's ordering: negative if a is older than b, 0 if equal, positive if
// newer. An empty version is older than all others, as in `dpkg --compare-versions`. Versions that
// dpkg rejects are compared by the same rules.
int compare_debian_versions(std::string_view a, std::string_view b);

}  // namespace topsctl
