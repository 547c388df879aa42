// Connects by TCP, and ends waits.
#include "host/network/ssh_socket.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

struct AddrinfoRelease {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using AddrinfoList = std::unique_ptr<addrinfo, AddrinfoRelease>;

AddrinfoList addresses_of(const std::string& host, const char* service, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int problem = ::getaddrinfo(host.c_str(), service, &hints, &found);
  if (problem == 0) return AddrinfoList(found);
  throw ConnectionLost(
      format("cannot resolve the host name {}: {}", in_quotes(host), ::gai_strerror(problem)));
}

int family_of(const std::string& name) {
  const std::string family = lower_case(name);
  return family == "inet" ? AF_INET : family == "inet6" ? AF_INET6 : AF_UNSPEC;
}

// Empty: it is connected; else why not.
std::string try_connect(const Descriptor& socket, const addrinfo& address, int timeout_s) {
  ::fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return std::strerror(errno);
    const WaitLimit limit(std::int64_t{timeout_s} * 1000);
    for (;;) {
      throw_if_interrupted();
      std::array<pollfd, 2> watched = {
          {{socket.get(), POLLOUT, 0}, {interrupt_descriptor(), POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), limit.poll_timeout());
      throw_if_interrupted();
      if (watched[0].revents != 0) break;
      if (limit.is_over()) return format("no answer within {} s", timeout_s);
    }
  }
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return std::strerror(error);
  ::fcntl(socket.get(), F_SETFL, 0);
  return {};
}

}  // namespace

int connect_socket(const std::string& host, unsigned port, const SocketWishes& wishes) {
  const int family = family_of(wishes.family);
  const AddrinfoList found = addresses_of(host, concat(port).c_str(), family);
  AddrinfoList own;
  if (!wishes.bind_address.empty()) own = addresses_of(wishes.bind_address, nullptr, family);
  std::string reason;
  for (int attempt = 0; attempt < wishes.attempts; ++attempt) {
    if (attempt > 0) pause_for(std::chrono::seconds(1));
    for (const addrinfo* address = found.get(); address != nullptr; address = address->ai_next) {
      Descriptor socket(::socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (!socket.is_open()) {
        reason = std::strerror(errno);
        continue;
      }
      const addrinfo* from = own.get();
      while (from != nullptr && from->ai_family != address->ai_family) from = from->ai_next;
      if (from != nullptr && ::bind(socket.get(), from->ai_addr, from->ai_addrlen) != 0) {
        reason = format("cannot bind to {}: {}", wishes.bind_address, std::strerror(errno));
        continue;
      }
      reason = try_connect(socket, *address, wishes.timeout_s);
      if (!reason.empty()) continue;
      const int on = 1;
      ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return ::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0);
    }
  }
  throw ConnectionLost(reason);
}

SocketDeadline::SocketDeadline(int socket, std::chrono::milliseconds limit, SlowNotice notice)
    : socket_(socket < 0 ? -1 : ::fcntl(socket, F_DUPFD_CLOEXEC, 0)),
      thread_([this, limit, notice = std::move(notice)] {
        std::array<pollfd, 2> watched = {
            {{done_.descriptor(), POLLIN, 0}, {interrupt_descriptor(), POLLIN, 0}}};
        const auto is_over_before = [&watched](const WaitLimit& end) {
          while (!end.is_over() && ::poll(watched.data(), watched.size(), end.poll_timeout()) < 0 &&
                 errno == EINTR) {
          }
          return watched[0].revents != 0 || watched[1].revents != 0;
        };
        const WaitLimit end(limit.count());
        const bool has_notice = notice.act && notice.after < limit;
        if (!has_notice || !is_over_before(WaitLimit(notice.after.count()))) {
          if (has_notice) notice.act();
          is_over_before(end);
        }
        if (watched[0].revents != 0) return;
        is_over_ = watched[1].revents == 0;
        if (socket_.is_open()) ::shutdown(socket_.get(), SHUT_RDWR);
      }) {}

SocketDeadline::~SocketDeadline() {
  done_.ring();
  thread_.join();
}

}  // namespace topsctl
