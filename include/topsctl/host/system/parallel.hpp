// Runs the same work on many items in several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace topsctl {

// The number of cores, but at most four.
unsigned usual_threads();

// For work that waits for the disk and not for a core.
inline constexpr unsigned disk_threads = 16;

// Calls `work` once with each index below `count`, on several threads. The first exception stops
// the work and is rethrown.
void for_each_index(std::size_t count, const std::function<void(std::size_t index)>& work,
                    unsigned threads = usual_threads());

// The same by ranges of a few dozen indices, to share work within a range.
void for_each_range(std::size_t count,
                    const std::function<void(std::size_t begin, std::size_t end)>& work,
                    unsigned threads = usual_threads());

}  // namespace topsctl
