// Remote programs over a channel, and tunnels through a host.
#include "host/network/ssh_stream.hpp"

#include <fcntl.h>
#include <libssh/server.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "host/network/ssh_socket.hpp"
#include "host/network/ssh_trust.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/connection.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace {

struct ChannelRelease {
  void operator()(ssh_channel channel) const { ssh_channel_free(channel); }
};
using Channel = std::unique_ptr<ssh_channel_struct, ChannelRelease>;

constexpr std::size_t most_errors = 16U << 10U;
constexpr std::size_t most_unread = std::size_t{40} << 20U;  // bytes received while we send
constexpr std::chrono::seconds longest_silence(10);
constexpr std::chrono::seconds longest_answer(15);
constexpr std::chrono::seconds longest_question(2);
constexpr std::chrono::seconds longest_start(60);  // of a program

enum class Asked { command, subsystem };

class SshStream : public RemoteStream {
 public:
  SshStream(const SshConnection& connection, Asked asked, const std::string& what,
            std::chrono::microseconds& round_trip)
      : session_(connection.session()),
        peer_(connection.peer()),
        is_tunneled_(connection.is_tunneled()),
        channel_(ssh_channel_new(session_)) {
    const SocketDeadline deadline(ssh_get_fd(session_), longest_start);
    const auto begun = Clock::now();
    if (!channel_ || ssh_channel_open_session(channel_.get()) != SSH_OK)
      refuse_connection(session_, peer_, "open a channel to");
    round_trip = time_since(begun);
    // A server may start sessions slowly: PAM takes 50 ms and more.
    const std::chrono::microseconds at_best(
        is_tunneled_ ? 0 : round_trip_of(ssh_get_fd(session_)).count());
    if (asked == Asked::command && at_best < round_trip / 2)
      round_trip = std::min(round_trip, time_of_question());
    const int granted = asked == Asked::command
                            ? ssh_channel_request_exec(channel_.get(), what.c_str())
                            : ssh_channel_request_subsystem(channel_.get(), what.c_str());
    if (granted == SSH_OK) return;
    const std::string act = asked == Asked::command ? "run a program on" : "use a subsystem of";
    if (!is_alive()) refuse_connection(session_, peer_, act);
    throw NotStarted(format("cannot {} {}: refused", act, label_of(peer_)),
                     "check that `ssh` may run a command on this host");
  }

  void write(std::string_view bytes) override {
    // In pieces, so that an interrupt is noticed in between.
    constexpr std::size_t piece = 128U << 10U;
    while (!bytes.empty()) {
      const std::string_view part = bytes.substr(0, std::min(piece, open_window()));
      const int written =
          ssh_channel_write(channel_.get(), part.data(), static_cast<std::uint32_t>(part.size()));
      if (written != static_cast<int>(part.size())) lose("send to");
      bytes.remove_prefix(part.size());
    }
  }

  std::optional<std::string> read(std::int64_t timeout_ms) override {
    const WaitLimit limit(timeout_ms);
    for (bool was_woken = false;;) {
      throw_if_interrupted();
      take_errors();
      if (!unread_.empty()) return std::exchange(unread_, "");
      const int ready = ssh_channel_poll(channel_.get(), 0);
      if (ready == SSH_EOF) return read_rest();
      if (ready < 0) lose("read from");
      if (ready > 0) {
        heard_at_ = Clock::now();
        return take(ready);
      }
      if (!is_alive()) lose("read from");
      require_last_active();
      if (was_woken || limit.is_over()) return std::nullopt;
      was_woken = wait_for_packet(limit, waker());
    }
  }

  void end_input() override {
    if (ssh_channel_send_eof(channel_.get()) != SSH_OK) lose("send to");
  }

  std::string errors_so_far() const override { return errors_; }

  RemoteEnd finish() override {
    unread_.clear();
    for (;;) {
      const auto piece = read(std::int64_t{1} << 40U);
      if (piece && piece->empty()) break;
    }
    // The exit status comes after the end of the output.
    constexpr std::int64_t longest_ms = 10'000;
    const WaitLimit limit(longest_ms);
    while (exit_status() < 0 && ssh_channel_is_closed(channel_.get()) == 0 && is_alive() &&
           !limit.is_over()) {
      throw_if_interrupted();
      wait_for_packet(limit, -1);
    }
    take_errors();
    return {exit_status(), errors_};
  }

 private:
  using Clock = std::chrono::steady_clock;

  // -1: not received yet. libssh itself would wait for it without a limit.
  int exit_status() const {
    ssh_set_blocking(session_, 0);
    const int status = ssh_channel_get_exit_status(channel_.get());
    ssh_set_blocking(session_, 1);
    return status;
  }

  bool is_alive() const { return ssh_is_connected(session_) != 0; }

  static std::chrono::microseconds time_since(Clock::time_point begun) {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  }

  // The time of a request that servers answer at once, with any result; a server without an answer
  // is not waited for.
  std::chrono::microseconds time_of_question() {
    const auto asked = Clock::now();
    ask(longest_question);
    return time_since(asked);
  }

  // Waits for the answer, and ignores its content.
  void ask(std::chrono::seconds patience) {
    long timeout_s = patience.count();
    ssh_options_set(session_, SSH_OPTIONS_TIMEOUT, &timeout_s);
    ssh_send_keepalive(session_);
    timeout_s = 0;
    ssh_options_set(session_, SSH_OPTIONS_TIMEOUT, &timeout_s);
  }

  // Whether the waker became readable before data from the remote or a signal. Returns after at
  // most ten seconds, because a host behind another one must be probed then.
  bool wait_for_packet(const WaitLimit& limit, int waker) const {
    // libssh writes pending output when it is asked for input.
    const bool has_unsent = (ssh_get_poll_flags(session_) & SSH_WRITE_PENDING) != 0;
    const short events = static_cast<short>(has_unsent ? POLLIN | POLLOUT : POLLIN);
    std::array<pollfd, 3> watched = {{{ssh_get_fd(session_), events, 0},
                                      {interrupt_descriptor(), POLLIN, 0},
                                      {waker, POLLIN, 0}}};
    constexpr int longest_ms = std::chrono::milliseconds(longest_silence).count();
    const int left_ms = limit.poll_timeout();
    const int wait_ms = left_ms < 0 ? longest_ms : std::min(left_ms, longest_ms);
    return ::poll(watched.data(), watched.size(), wait_ms) > 0 && watched[2].revents != 0;
  }

  // The number of bytes that can be sent without waiting. libssh itself would wait, and forever if
  // the remote program has ended and some of its output is still unread.
  std::size_t open_window() {
    for (;;) {
      throw_if_interrupted();
      const std::uint32_t open = ssh_channel_window_size(channel_.get());
      if (open > 0) return open;
      wait_for_packet({}, -1);
      take_errors();
      std::array<char, 65536> bytes{};
      const int got = ssh_channel_read_nonblocking(channel_.get(), bytes.data(), bytes.size(), 0);
      if (got > 0) {
        unread_.append(bytes.data(), static_cast<std::size_t>(got));
        heard_at_ = Clock::now();
      }
      if (unread_.size() > most_unread)
        throw ConnectionLost(
            format("the program on {} sends too much output", in_quotes(peer_.name)));
      const bool is_over = got == SSH_ERROR || ssh_channel_is_eof(channel_.get()) != 0 ||
                           ssh_channel_is_closed(channel_.get()) != 0 || !is_alive();
      if (is_over) lose("send to");
      require_last_active();
    }
  }

  // TCP detects that the host is gone, but not a host behind it: that one must be probed.
  void require_last_active() {
    if (!is_tunneled_ || Clock::now() - heard_at_ < longest_silence) return;
    const auto asked = Clock::now();
    ask(longest_answer);
    if (Clock::now() - asked >= longest_answer) lose("get an answer from");
    heard_at_ = Clock::now();
  }

  std::string take(int available) {
    std::string bytes(static_cast<std::size_t>(std::clamp(available, 1, 1 << 20)), '\0');
    const int got = ssh_channel_read_nonblocking(channel_.get(), bytes.data(),
                                                 static_cast<std::uint32_t>(bytes.size()), 0);
    if (got < 0 && got != SSH_EOF && got != SSH_AGAIN) lose("read from");
    bytes.resize(static_cast<std::size_t>(std::max(got, 0)));
    return bytes;
  }

  // At the end of the output: nothing, unless the connection itself has ended.
  std::string read_rest() {
    if (ssh_channel_is_eof(channel_.get()) == 0) lose("read from");
    return {};
  }

  void take_errors() {
    std::array<char, 4096> bytes{};
    for (;;) {
      const int got = ssh_channel_read_nonblocking(channel_.get(), bytes.data(), bytes.size(), 1);
      if (got <= 0) return;
      errors_.append(bytes.data(), static_cast<std::size_t>(got));
      if (errors_.size() > 2 * most_errors) errors_.erase(0, errors_.size() - most_errors);
    }
  }

  [[noreturn]] void lose(const std::string& act) {
    throw_if_interrupted();
    take_errors();
    const std::string said = last_words(errors_);
    if (!said.empty() && ssh_is_connected(session_) != 0) {
      throw ConnectionLost(format("the program on {} has ended: {}", in_quotes(peer_.name), said));
    }
    refuse_connection(session_, peer_, act);
  }

  ssh_session session_;
  const SshPeer& peer_;
  const bool is_tunneled_;
  Channel channel_;
  std::string errors_;
  std::string unread_;  // received while we waited to send
  Clock::time_point heard_at_ = Clock::now();
};

}  // namespace

std::unique_ptr<RemoteStream> ssh_stream(const SshConnection& connection,
                                         const std::string& command_line,
                                         std::chrono::microseconds& round_trip) {
  return std::make_unique<SshStream>(connection, Asked::command, command_line, round_trip);
}

std::unique_ptr<RemoteStream> ssh_subsystem(const SshConnection& connection,
                                            const std::string& name,
                                            std::chrono::microseconds& round_trip) {
  return std::make_unique<SshStream>(connection, Asked::subsystem, name, round_trip);
}

class SshTunnel::Pump {
 public:
  Pump(std::unique_ptr<SshConnection> through, const std::string& host, unsigned port,
       long timeout_s)
      : through_(std::move(through)), channel_(ssh_channel_new(through_->session())) {
    // The host on the way may wait for minutes.
    const SocketDeadline deadline(ssh_get_fd(through_->session()),
                                  std::chrono::seconds(timeout_s + 1));
    ssh_options_set(through_->session(), SSH_OPTIONS_TIMEOUT, &timeout_s);
    if (!channel_ || ssh_channel_open_forward(channel_.get(), host.c_str(), static_cast<int>(port),
                                              "127.0.0.1", 0) != SSH_OK) {
      refuse_connection(through_->session(), through_->peer(),
                        format("reach {} through", in_quotes(concat(host, ":", port))));
    }
    timeout_s = 0;
    ssh_options_set(through_->session(), SSH_OPTIONS_TIMEOUT, &timeout_s);
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw system_error(errno, "make", "a socket pair");
    ours_ = Descriptor(ends[0]);
    theirs_ = ends[1];
    thread_ = std::thread([this] { run(); });
  }

  ~Pump() {
    if (theirs_ >= 0) ::close(theirs_);
    is_over_ = true;
    // Ends the wait of the thread.
    ::shutdown(ours_.get(), SHUT_RDWR);
    thread_.join();
  }
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  int take_socket() { return std::exchange(theirs_, -1); }

 private:
  // Ends when either side does; the other one sees it by its socket.
  void run() {
    std::vector<char> buffer(256U << 10U);
    while (!is_over_ && from_channel(buffer) && from_socket(buffer)) {
      // Data that came while we wrote is already in the channel, and wakes no poll.
      if (ssh_channel_poll(channel_.get(), 0) != 0) continue;
      const bool may_send = ssh_channel_window_size(channel_.get()) > 0;
      std::array<pollfd, 2> watched = {
          {{may_send ? ours_.get() : -1, POLLIN, 0}, {ssh_get_fd(through_->session()), POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), 200);
    }
    ::shutdown(ours_.get(), SHUT_RDWR);
  }

  bool from_channel(std::vector<char>& buffer) {
    for (;;) {
      const int got = ssh_channel_read_nonblocking(channel_.get(), buffer.data(),
                                                   static_cast<std::uint32_t>(buffer.size()), 0);
      if (got == SSH_ERROR || got == SSH_EOF) return false;
      if (got <= 0) return ssh_channel_is_eof(channel_.get()) == 0;
      for (int sent = 0; sent < got;) {
        const ssize_t written = ::send(ours_.get(), buffer.data() + sent,
                                       static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
        if (written <= 0) return false;
        sent += static_cast<int>(written);
      }
    }
  }

  bool from_socket(std::vector<char>& buffer) {
    // Never more than the other side accepts without waiting, else the end of the tunnel would wait
    // too.
    const std::size_t most =
        std::min<std::size_t>(buffer.size(), ssh_channel_window_size(channel_.get()));
    if (most == 0) return true;
    const ssize_t got = ::recv(ours_.get(), buffer.data(), most, MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    return got > 0 &&
           ssh_channel_write(channel_.get(), buffer.data(), static_cast<std::uint32_t>(got)) == got;
  }

  std::unique_ptr<SshConnection> through_;
  Channel channel_;
  Descriptor ours_;
  int theirs_ = -1;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

SshTunnel::SshTunnel(std::unique_ptr<SshConnection> through, const std::string& host, unsigned port,
                     int timeout_s)
    : pump_(std::make_unique<Pump>(std::move(through), host, port, timeout_s)) {}

SshTunnel::~SshTunnel() = default;

int SshTunnel::take_socket() {
  return pump_->take_socket();
}

}  // namespace topsctl
