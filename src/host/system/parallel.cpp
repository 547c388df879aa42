// Shares indices among threads.
#include "topsctl/host/system/parallel.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace topsctl {

namespace {

constexpr unsigned most_threads = 4;

// Each thread may hold a few files open: with a low limit there are fewer threads.
unsigned threads_by_descriptors() {
  constexpr rlim_t held_by_all = 8;
  constexpr rlim_t held_by_each = 4;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return disk_threads;
  const rlim_t left = limit.rlim_cur > held_by_all ? limit.rlim_cur - held_by_all : 0;
  return static_cast<unsigned>(std::clamp<rlim_t>(left / held_by_each, 1, disk_threads));
}

class IndexWork {
 public:
  IndexWork(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work)
      : count_(count), threads_(threads), work_(work) {}

  void run() {
    const std::size_t useful = std::min<std::size_t>(count_, threads_);
    {
      std::vector<std::jthread> others;
      try {
        while (others.size() + 1 < useful) others.emplace_back([this] { take_turns(); });
      } catch (const std::system_error&) {
        // Fewer threads suffice.
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
  unsigned threads_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;  // of failure_
  std::exception_ptr failure_;
};

}  // namespace

unsigned usual_threads() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
}

void for_each_index(std::size_t count, const std::function<void(std::size_t)>& work,
                    unsigned threads) {
  IndexWork(count, std::min(threads, threads_by_descriptors()), work).run();
}

void for_each_range(std::size_t count,
                    const std::function<void(std::size_t begin, std::size_t end)>& work,
                    unsigned threads) {
  constexpr std::size_t neighbours = 64;
  for_each_index(
      (count + neighbours - 1) / neighbours,
      [&](std::size_t i) { work(i * neighbours, std::min((i + 1) * neighbours, count)); }, threads);
}

}  // namespace topsctl
