// Makes senders wait.
#include "topsctl/engine/transfer/rate_limit.hpp"

#include <algorithm>

#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

void RateLimit::take(std::uint64_t bytes) {
  if (rate_ == 0) return;
  using Clock = std::chrono::steady_clock;
  const auto cost = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(static_cast<double>(bytes) / static_cast<double>(rate_)));
  Clock::time_point ready;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto now = Clock::now();
    free_at_ = std::max(free_at_, now - std::chrono::milliseconds(100)) + cost;
    ready = free_at_;
  }
  const auto early = std::chrono::ceil<std::chrono::milliseconds>(ready - Clock::now());
  if (early.count() > 0) pause_for(early);
}

}  // namespace topsctl
