// How much memory a process of this machine may still take.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace topsctl {

// Bytes that can be had without pushing others out: what the kernel calls available, or what the
// limit of our control group (a container's) leaves if that is less. 0 if it is not known.
std::uint64_t spare_memory();

// The same of given files; `read` answers nothing for a file that is not there.
std::uint64_t spare_memory(
    const std::function<std::optional<std::string>(const std::string& path)>& read);

}  // namespace topsctl
