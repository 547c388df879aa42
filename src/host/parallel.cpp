// Shares indices among threads.
#include "topsctl/host/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace topsctl {

namespace {

constexpr std::size_t most_threads = 4;

class IndexWork {
 public:
  IndexWork(std::size_t count, const std::function<void(std::size_t)>& work)
      : count_(count), work_(work) {}

  void run() {
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t useful = std::min({count_, cores, most_threads});
    {
      std::vector<std::jthread> others;
      try {
        while (others.size() + 1 < useful) others.emplace_back([this] { take_turns(); });
      } catch (const std::system_error&) {
        // Fewer threads do it too.
      }
      take_turns();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void take_turns() {
    try {
      for (std::size_t i = next_++; i < count_; i = next_++) work_(i);
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // of failure_
  std::exception_ptr failure_;
};

}  // namespace

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work) {
  IndexWork(count, work).run();
}

}  // namespace topsctl
