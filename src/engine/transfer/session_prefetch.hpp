// Connections that are made before they are needed.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>

#include "topsctl/host/network/remote.hpp"

namespace topsctl {

// Connecting takes about ten round trips: on a slow network, further connections are begun while
// the first one still logs in and queries the missing chunks. Thread-safe; the destructor waits for
// connections that were begun.
class SessionPrefetch {
 public:
  // The number of further connections for this round-trip time.
  using Wanted = std::function<unsigned(std::chrono::microseconds round_trip)>;

  // The remote must outlive it.
  explicit SessionPrefetch(Remote& remote) : remote_(remote) {}

  // The first connection. The others log in after it, so that wrong or slowly typed answers are
  // tried once.
  std::unique_ptr<RemoteSession> connect_first(const Wanted& wanted);
  // A further one: one that was begun, or a new one. Asks no questions. Throws the errors of
  // connecting.
  std::unique_ptr<RemoteSession> take();

 private:
  using Begun = std::future<std::unique_ptr<RemoteSession>>;

  void begin(unsigned count);

  Remote& remote_;
  std::promise<void> first_logs_in_;
  std::shared_future<void> first_is_in_ = first_logs_in_.get_future().share();
  std::mutex mutex_;
  std::deque<Begun> begun_;
};

}  // namespace topsctl
