// The control group that this process is in (cgroups(7)).
#pragma once

#include <cstdint>
#include <optional>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

// The number of its processes that the kernel killed for lack of memory; nothing if unknown.
// Supports both cgroup versions, and containers, whose own group is at the top.
std::optional<std::uint64_t> oom_kills_of_group(const Host& host);

}  // namespace topsctl
