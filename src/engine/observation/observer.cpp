// Waits for calls, backs up the paths that they change, and lets them continue.
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
#include "topsctl/host/observation/call_tracer.hpp"
#include "topsctl/host/observation/caller_paths.hpp"
#include "topsctl/host/observation/path_touches.hpp"
#include "topsctl/host/observation/tracing_probe.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/waiting.hpp"

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

// Backs up paths before calls change them.
class CallKeeper {
 public:
  CallKeeper(int socket, const Host& host, ObservedStore& store)
      : socket_(socket), paths_(host.root), store_(store) {}

  // Until topsctl and all observed processes have ended.
  void serve() {
    CallTracer calls(
        socket_, [this](const CallNotice& notice) { return judge(notice); },
        [this](std::string text) { tell(std::move(text)); });
    const pid_t ready = ::getpid();
    ::send(socket_, &ready, sizeof ready, MSG_NOSIGNAL);
    calls.serve([this] { return store_.is_closed_now(); });
  }

 private:
  int judge(const CallNotice& notice) {
    try {
      if (!store_.is_closed()) {
        for (const PathTouch& touch : touches_of(notice, paths_, is_settled_)) store_.keep(touch);
      }
      return 0;
    } catch (const std::exception& error) {
      tell(error.what());
      return EIO;
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
};

}  // namespace

std::string why_not_observable(const Host& host) {
  // The store's directory may not exist yet.
  fs::path folder = host.resolve(host.state);
  while (!fs::exists(folder) && folder != folder.parent_path()) folder = folder.parent_path();
  if (file_identity(folder.string()).device !=
      file_identity(fs::canonical(host.root).string()).device)
    return format("{} and the root directory are on two file systems", host.state);
  return why_not_observable();
}

Observer::Observer(const Host& host, const Snapshot& snapshot, const fs::path& store) {
  auto [ours, theirs] = socket_pair();
  socket_ = std::move(ours);
  // Its directory exists before any program is started, so a failure is reported here.
  daemonize(theirs, [&](int socket) {
    ::prctl(PR_SET_NAME, "topsctl-observe", 0, 0, 0);
    ObservedStore kept(host, snapshot, store);
    CallKeeper(socket, host, kept).serve();
  });
  theirs.close();
  pid_t tracer = 0;
  constexpr std::int64_t timeout_ms = 60'000;
  const bool is_there = wait_for({socket_.get()}, WaitLimit(timeout_ms));
  throw_if_interrupted();
  if (!is_there || ::recv(socket_.get(), &tracer, sizeof tracer, MSG_DONTWAIT) != sizeof tracer)
    throw Error(ErrorCode::host_unfit, "cannot start observing programs",
                "install with --write-set predicted");
  start_.emplace(socket_.get(), tracer);
}

std::vector<std::string> Observer::failures() const {
  std::vector<std::string> told;
  std::string room(longest_failure, '\0');
  for (;;) {
    const ssize_t got = ::recv(socket_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0) return told;
    if (got == 0) {
      told.push_back(
          format("the process that observes programs has ended, and they were ended with it"));
      return told;
    }
    told.push_back(format("a change was refused, as what it changes cannot be backed up: {}",
                          printable(room.substr(0, static_cast<std::size_t>(got)))));
  }
}

}  // namespace topsctl
