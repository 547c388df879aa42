// Connections that are made before there is work for them.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>

#include "topsctl/host/network/remote.hpp"

namespace topsctl {

// Connecting takes some ten round trips: on a slow way further connections are begun while the
// first one still logs in and asks what there is to do. Of several threads; its end waits for those
// that were begun.
class SessionPrefetch {
 public:
  // How many further connections are wanted where a question and its answer take this long.
  using Wanted = std::function<unsigned(std::chrono::microseconds round_trip)>;

  // The remote must outlive it.
  explicit SessionPrefetch(Remote& remote) : remote_(remote) {}

  // The first connection. The others log in when it has, so that what is false or typed slowly is
  // tried once.
  std::unique_ptr<RemoteSession> connect_first(const Wanted& wanted);
  // A further one: one that was begun, or a new one. For it nobody is asked. Throws what connecting
  // threw.
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
