// Connects on separate threads.
#include "engine/transfer/session_prefetch.hpp"

namespace topsctl {

namespace {

// A host accepts few connections that have not logged in (sshd_config(5), MaxStartups).
constexpr std::chrono::seconds longest_log_in(3);

}  // namespace

std::unique_ptr<RemoteSession> SessionPrefetch::connect_first(const Wanted& wanted) {
  try {
    auto session = remote_.connect_in_steps(
        [&](std::chrono::microseconds round_trip) { begin(wanted(round_trip)); }, Asking::allowed);
    first_logs_in_.set_value();
    return session;
  } catch (...) {
    first_logs_in_.set_exception(std::current_exception());
    throw;
  }
}

void SessionPrefetch::begin(unsigned count) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto wait_for_first = [first = first_is_in_](std::chrono::microseconds) {
    if (first.wait_for(longest_log_in) != std::future_status::ready)
      throw ConnectionLost("the first connection did not log in in time");
    first.get();
  };
  for (unsigned i = 0; i < count; ++i) {
    begun_.push_back(std::async(std::launch::async, [this, wait_for_first] {
      return remote_.connect_in_steps(wait_for_first, Asking::never);
    }));
  }
}

std::unique_ptr<RemoteSession> SessionPrefetch::take() {
  Begun first;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!begun_.empty()) {
      first = std::move(begun_.front());
      begun_.pop_front();
    }
  }
  if (first.valid()) {
    try {
      return first.get();
    } catch (const AnswersSpent&) {
      throw;
    } catch (const ConnectionLost&) {
      // The first connection took too long, or there were too many at once.
    }
  }
  return remote_.connect_in_steps({}, Asking::never);
}

}  // namespace topsctl
