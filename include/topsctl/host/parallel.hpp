// The same work on many things by several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace topsctl {

// Calls `work` once with each index below `count`, by as many threads as there are cores, but at
// most four. The first exception ends the work and is thrown here.
void for_each_index(std::size_t count, const std::function<void(std::size_t index)>& work);

}  // namespace topsctl
