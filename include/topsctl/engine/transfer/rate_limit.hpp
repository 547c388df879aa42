// A limit to how fast bytes are sent, by all threads together.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>

namespace topsctl {

// A token bucket that holds a tenth of a second.
class RateLimit {
 public:
  explicit RateLimit(std::uint64_t bytes_per_second) : rate_(bytes_per_second) {}  // 0: none
  // Waits until so many bytes may be sent. Throws Error{interrupted, terminated}.
  void take(std::uint64_t bytes);

 private:
  const std::uint64_t rate_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point free_at_{};  // when all that was taken will have been sent
};

}  // namespace topsctl
