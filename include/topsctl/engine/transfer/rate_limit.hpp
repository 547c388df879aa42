// Limits the sending rate of all threads together.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

namespace topsctl {

// A token bucket with a capacity of a tenth of a second.
class RateLimit {
 public:
  explicit RateLimit(std::uint64_t bytes_per_second) : rate_(bytes_per_second) {}  // 0: no limit
  // Waits until this number of bytes may be sent. Throws Error{interrupted, terminated}.
  void take(std::uint64_t bytes);

 private:
  const std::uint64_t rate_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point free_at_{};  // when all bytes taken so far will have been
                                                     // sent
};

}  // namespace topsctl
