// Sockets to SSH servers, and the end of every wait on one.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

struct SocketWishes {
  std::string family = {};   // as AddressFamily: any, inet, inet6
  std::string bind_address;  // as BindAddress; empty: any
  int timeout_s = 20;        // for each address
  int attempts = 1;
};

// Connects by TCP to the first address of a host that accepts; the caller must close the socket.
// Throws ConnectionLost with only the reason, Error{interrupted, terminated}.
int connect_socket(const std::string& host, unsigned port, const SocketWishes& wishes);

// What to do once, from another thread, if the end is not reached after some time. Must not throw.
struct SlowNotice {
  std::chrono::milliseconds after{0};
  std::function<void()> act = {};
};

// While it lives, shuts down the socket when a signal asks topsctl to stop or the time is over:
// libssh waits without a limit and notices neither.
class SocketDeadline {
 public:
  SocketDeadline(int socket, std::chrono::milliseconds limit, SlowNotice notice = {});
  ~SocketDeadline();
  SocketDeadline(const SocketDeadline&) = delete;
  SocketDeadline& operator=(const SocketDeadline&) = delete;

  bool is_over() const { return is_over_; }

 private:
  Descriptor socket_;  // a duplicate: libssh may close its own
  Bell done_;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace topsctl
