// Waits for calls, keeps what they touch, and lets them go on.
#include "topsctl/engine/observation/observer.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "engine/observation/observed_store.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/observation/call_listener.hpp"
#include "topsctl/host/observation/caller_paths.hpp"
#include "topsctl/host/observation/path_touches.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest_failure = 2048;  // bytes

std::pair<Descriptor, Descriptor> socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw system_error(errno, "make", "a socket");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

class Keepers {
 public:
  Keepers(int socket, const Host& host, ObservedStore& store)
      : socket_(socket), paths_(host.root), store_(store) {}

  // Until topsctl and all that is observed have ended.
  void serve() {
    std::vector<pollfd> watched;
    while (is_open_ || !listeners_.empty()) {
      watched.assign(1, {is_open_ ? socket_ : -1, POLLIN, 0});
      for (const CallListener& listener : listeners_)
        watched.push_back({listener.descriptor(), POLLIN, 0});
      if (::poll(watched.data(), watched.size(), -1) < 0) continue;
      // What is over is taken away last: the places must stay.
      for (std::size_t i = listeners_.size(); i > 0; --i) {
        const short events = watched[i].revents;
        if ((events & POLLIN) != 0) {
          serve(listeners_[i - 1]);
        } else if (events != 0) {
          listeners_.erase(listeners_.begin() + static_cast<std::ptrdiff_t>(i - 1));
        }
      }
      if (watched[0].revents != 0) take_listener();
    }
  }

 private:
  void take_listener() {
    Descriptor listener = receive_listener(socket_);
    if (listener.is_open()) {
      listeners_.emplace_back(std::move(listener));
    } else {
      is_open_ = false;
    }
  }

  void serve(CallListener& listener) {
    const auto notice = listener.receive();
    if (!notice) return;
    try {
      if (!store_.is_closed()) {
        for (const PathTouch& touch : touches_of(*notice, paths_, is_settled_)) store_.keep(touch);
      }
      listener.let_go_on(*notice);
    } catch (const Error& error) {
      tell(error.message());
      listener.refuse(*notice, EIO);
    } catch (const std::exception& error) {
      tell(error.what());
      listener.refuse(*notice, EIO);
    }
  }

  void tell(std::string text) const {
    text.resize(std::min(text.size(), longest_failure));
    ::send(socket_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }

  const int socket_;
  CallerPaths paths_;
  ObservedStore& store_;
  const IsKnown is_settled_ = [this](const std::string& path) { return store_.is_settled(path); };
  bool is_open_ = true;
  std::vector<CallListener> listeners_;
};

}  // namespace

std::string why_not_observable(const Host& host) {
  // The store's folder may not be there yet.
  fs::path folder = host.resolve(host.state);
  while (!fs::exists(folder) && folder != folder.parent_path()) folder = folder.parent_path();
  if (file_identity(folder.string()).device !=
      file_identity(fs::canonical(host.root).string()).device)
    return format("{} and the root directory are on two file systems", host.state);
  return why_not_observable();
}

Observer::Observer(const Host& host, const Snapshot& snapshot, const fs::path& store)
    : Observer(host, snapshot, store, socket_pair()) {}

Observer::Observer(const Host& host, const Snapshot& snapshot, const fs::path& store,
                   std::pair<Descriptor, Descriptor> sockets)
    : socket_(std::move(sockets.first)), start_(socket_.get()) {
  // Its folder is there before any program is, and a failure is told here.
  start_keeper(sockets.second, [&](int socket) {
    ::prctl(PR_SET_NAME, "topsctl-observe", 0, 0, 0);
    ObservedStore kept(host, snapshot, store);
    const char ready = 0;
    ::send(socket, &ready, sizeof ready, MSG_NOSIGNAL);
    Keepers(socket, host, kept).serve();
  });
  sockets.second.close();
  char ready = 1;
  if (::recv(socket_.get(), &ready, sizeof ready, 0) != sizeof ready || ready != 0)
    throw Error(ErrorCode::host_unfit, "cannot start observing programs",
                "install with --write-set rehearsed or --write-set predicted");
}

std::vector<std::string> Observer::failures() const {
  std::vector<std::string> told;
  std::string room(longest_failure, '\0');
  for (;;) {
    const ssize_t got = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0) return told;
    if (got == 0) {
      told.push_back(format("the process that observes programs has ended; their calls failed"));
      return told;
    }
    told.push_back(format("a change was refused, as what it changes cannot be backed up: {}",
                          printable(room.substr(0, static_cast<std::size_t>(got)))));
  }
}

}  // namespace topsctl
