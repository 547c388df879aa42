// The same work on many things by several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace topsctl {

// As many as there are cores, but at most four.
unsigned usual_threads();

// For work that waits for the disk and not for a core.
inline constexpr unsigned disk_threads = 16;

// Calls `work` once with each index below `count`, by several threads. The first exception ends the
// work and is thrown here.
void for_each_index(std::size_t count, const std::function<void(std::size_t index)>& work,
                    unsigned threads = usual_threads());

// The same by ranges of a few dozen neighbours, for what they have in common.
void for_each_range(std::size_t count,
                    const std::function<void(std::size_t begin, std::size_t end)>& work,
                    unsigned threads = usual_threads());

}  // namespace topsctl
