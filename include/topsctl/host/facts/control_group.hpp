// The control group that this process is in (cgroups(7)).
#pragma once

#include <cstdint>
#include <optional>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// How many of its processes the kernel has killed for want of memory; nothing if that is not told.
// Of both versions, and in a container, which sees its own group at the top.
std::optional<std::uint64_t> oom_kills_of_group(const Host& host);

}  // namespace topsctl
