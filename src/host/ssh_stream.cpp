// Programs at the far end of a channel, and tunnels through a host.
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/descriptor.hpp"
#include "topsctl/host/interrupt.hpp"
#include "topsctl/host/ssh_connection.hpp"
#include "topsctl/host/ssh_trust.hpp"

namespace topsctl {

namespace {

struct ChannelRelease {
  void operator()(ssh_channel channel) const { ssh_channel_free(channel); }
};
using Channel = std::unique_ptr<ssh_channel_struct, ChannelRelease>;

constexpr std::size_t most_errors = 16U << 10U;

class SshStream : public RemoteStream {
 public:
  SshStream(const SshConnection& connection, const std::string& command_line)
      : session_(connection.session()),
        peer_(connection.peer()),
        channel_(ssh_channel_new(session_)) {
    if (!channel_ || ssh_channel_open_session(channel_.get()) != SSH_OK)
      refuse_connection(session_, peer_, "open a channel to");
    if (ssh_channel_request_exec(channel_.get(), command_line.c_str()) != SSH_OK)
      refuse_connection(session_, peer_, "run a program on");
  }

  void write(std::string_view bytes) override {
    // In pieces, so that an interrupt is seen in between.
    constexpr std::size_t piece = 128U << 10U;
    while (!bytes.empty()) {
      throw_if_interrupted();
      const std::string_view part = bytes.substr(0, piece);
      const int written =
          ssh_channel_write(channel_.get(), part.data(), static_cast<std::uint32_t>(part.size()));
      if (written != static_cast<int>(part.size())) lose("send to");
      bytes.remove_prefix(part.size());
    }
  }

  std::optional<std::string> read(std::int64_t timeout_ms) override {
    constexpr int slice_ms = 200;
    for (;;) {
      throw_if_interrupted();
      take_errors();
      const int wait = static_cast<int>(std::clamp<std::int64_t>(timeout_ms, 0, slice_ms));
      const int ready = ssh_channel_poll_timeout(channel_.get(), wait, 0);
      if (ready == SSH_EOF) return read_rest();
      if (ready < 0) lose("read from");
      if (ready > 0) return take(ready);
      if (!is_alive()) lose("read from");
      timeout_ms -= slice_ms;
      if (timeout_ms <= 0) return std::nullopt;
    }
  }

  void end_input() override {
    if (ssh_channel_send_eof(channel_.get()) != SSH_OK) lose("send to");
  }

  RemoteEnd finish() override {
    for (;;) {
      const auto piece = read(std::int64_t{1} << 40U);
      if (piece && piece->empty()) break;
    }
    // The exit status comes after the end of the output.
    constexpr int most_rounds = 100;
    for (int i = 0; i < most_rounds && ssh_channel_get_exit_status(channel_.get()) < 0 &&
                    ssh_channel_is_closed(channel_.get()) == 0 && is_alive();
         ++i) {
      throw_if_interrupted();
      ssh_channel_poll_timeout(channel_.get(), 100, 1);
    }
    take_errors();
    return {ssh_channel_get_exit_status(channel_.get()), errors_};
  }

 private:
  bool is_alive() const { return ssh_is_connected(session_) != 0; }

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
    const std::string said = last_lines(printable(errors_, Lines::keep), 3);
    if (!said.empty() && ssh_is_connected(session_) != 0) {
      throw ConnectionLost(concat("the program on ", in_quotes(peer_.name), " has ended: ", said));
    }
    refuse_connection(session_, peer_, act);
  }

  ssh_session session_;
  const SshPeer& peer_;
  Channel channel_;
  std::string errors_;
};

}  // namespace

std::unique_ptr<RemoteStream> ssh_stream(const SshConnection& connection,
                                         const std::string& command_line) {
  return std::make_unique<SshStream>(connection, command_line);
}

class SshTunnel::Pump {
 public:
  Pump(std::unique_ptr<SshConnection> through, const std::string& host, unsigned port)
      : through_(std::move(through)), channel_(ssh_channel_new(through_->session())) {
    if (!channel_ || ssh_channel_open_forward(channel_.get(), host.c_str(), static_cast<int>(port),
                                              "127.0.0.1", 0) != SSH_OK) {
      refuse_connection(through_->session(), through_->peer(),
                        concat("reach ", in_quotes(concat(host, ":", port)), " through"));
    }
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw system_error(errno, "make", "a pair of sockets");
    ours_ = Descriptor(ends[0]);
    theirs_ = ends[1];
    thread_ = std::thread([this] { run(); });
  }

  ~Pump() {
    if (theirs_ >= 0) ::close(theirs_);
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
    while (from_channel(buffer) && from_socket(buffer)) {
      // What came while we wrote lies in the channel already, and wakes no poll.
      if (ssh_channel_poll(channel_.get(), 0) != 0) continue;
      std::array<pollfd, 2> watched = {
          {{ours_.get(), POLLIN, 0}, {ssh_get_fd(through_->session()), POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), 1000);
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
    const ssize_t got = ::recv(ours_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    return got > 0 &&
           ssh_channel_write(channel_.get(), buffer.data(), static_cast<std::uint32_t>(got)) == got;
  }

  std::unique_ptr<SshConnection> through_;
  Channel channel_;
  Descriptor ours_;
  int theirs_ = -1;
  std::thread thread_;
};

SshTunnel::SshTunnel(std::unique_ptr<SshConnection> through, const std::string& host, unsigned port)
    : pump_(std::make_unique<Pump>(std::move(through), host, port)) {}

SshTunnel::~SshTunnel() = default;

int SshTunnel::take_socket() {
  return pump_->take_socket();
}

}  // namespace topsctl
