// The amount of memory that a process of this host can still use.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace topsctl {

// Bytes available without reclaiming from others: the kernel's available memory, or the rest of our
// control group's limit (a container's) if that is less. 0 if unknown.
std::uint64_t spare_memory();

// The same from given files; `read` returns nothing for a missing file.
std::uint64_t spare_memory(
    const std::function<std::optional<std::string>(const std::string& path)>& read);

}  // namespace topsctl
