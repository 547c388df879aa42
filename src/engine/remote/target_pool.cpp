// Works on several targets at once.
#include "topsctl/engine/remote/target_pool.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

class TargetPool {
 public:
  TargetPool(std::size_t count, const TargetPoolOptions& options,
             const std::function<void(std::size_t)>& work)
      : options_(options), work_(work), results_(count) {}

  std::vector<TargetResult> run() {
    const std::size_t canaries = std::min(options_.canaries, results_.size());
    wave(canaries);
    if (failures_ == 0 || canaries == 0) wave(results_.size());
    return std::move(results_);
  }

 private:
  // Starts the targets before `end`, and waits for them.
  void wave(std::size_t end) {
    std::vector<std::jthread> threads;
    const std::size_t wanted =
        std::min<std::size_t>(std::max(options_.jobs, 1U), end - std::min(end, next_));
    while (threads.size() < wanted) threads.emplace_back([this, end] { take_turns(end); });
  }

  void take_turns(std::size_t end) {
    while (const auto index = next(end)) work_on(results_[*index], *index);
  }

  std::optional<std::size_t> next(std::size_t end) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool is_too_many = options_.most_failures && failures_ > *options_.most_failures;
    if (next_ >= end || is_too_many || is_interrupted()) return std::nullopt;
    return next_++;
  }

  void work_on(TargetResult& result, std::size_t index) {
    using Clock = std::chrono::steady_clock;
    const auto started = Clock::now();
    try {
      work_(index);
      result.status = TargetStatus::done;
    } catch (const Error& error) {
      result.error = error;
    } catch (const std::exception& error) {
      result.error = Error(ErrorCode::internal, printable(error.what()),
                           "this is a bug in topsctl: please report it");
    }
    result.duration_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started).count();
    if (!result.error) return;
    result.status = TargetStatus::failed;
    const std::lock_guard<std::mutex> lock(mutex_);
    ++failures_;
  }

  const TargetPoolOptions& options_;
  const std::function<void(std::size_t)>& work_;
  std::vector<TargetResult> results_;
  std::mutex mutex_;  // guards the following members
  std::size_t next_ = 0;
  std::size_t failures_ = 0;
};

}  // namespace

std::vector<TargetResult> for_each_target(std::size_t count, const TargetPoolOptions& options,
                                          const std::function<void(std::size_t)>& work) {
  return TargetPool(count, options, work).run();
}

std::optional<Error> error_of(const std::vector<TargetResult>& results, IfRerun rerun) {
  std::size_t bad = 0;
  const TargetResult* first = nullptr;
  bool is_one_kind = true;
  for (const TargetResult& result : results) {
    if (result.status == TargetStatus::done) continue;
    ++bad;
    if (!result.error) continue;
    if (first == nullptr) first = &result;
    if (result.error->code() != first->error->code()) is_one_kind = false;
  }
  if (bad == 0) return std::nullopt;
  throw_if_interrupted();
  if (results.size() == 1) return first->error;
  const bool is_all = bad == results.size() && is_one_kind && first != nullptr;
  return Error(
      is_all ? first->error->code() : ErrorCode::some_failed,
      format("{} of {} failed", bad, counted(results.size(), "target")),
      rerun == IfRerun::continues
          ? "see the lines of those targets; rerun the same command to continue where it stopped"
          : "see the lines of those targets");
}

void SharedEvents::step_started(std::size_t index, std::size_t total,
                                const std::string& description) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sink_.step_started(index, total, description);
}

void SharedEvents::step_finished(std::size_t index, std::size_t total,
                                 const std::string& description, std::int64_t duration_ms,
                                 bool succeeded) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sink_.step_finished(index, total, description, duration_ms, succeeded);
}

void SharedEvents::working(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sink_.working(text);
}

void SharedEvents::progressed(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sink_.progressed(done, total);
}

void SharedEvents::target_progressed(const TargetProgress& progress) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sink_.target_progressed(progress);
}

void SharedEvents::note(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sink_.note(text);
}

void SharedEvents::warning(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sink_.warning(text);
}

void SharedEvents::output(std::string_view piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  sink_.output(piece);
}

}  // namespace topsctl
