// Runs command lines on this host, with pipes instead of a connection.
#include "topsctl/host/network/local_remote.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/startup.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_local_errors = 16U << 10U;

class LocalStream : public RemoteStream {
 public:
  LocalStream(const std::map<std::string, std::string>& environment,
              const std::string& command_line) {
    std::vector<std::string> words = {"/bin/sh", "-c", command_line};
    std::vector<std::string> settings;
    for (const auto& [name, value] : environment) settings.push_back(concat(name, "=", value));
    const std::vector<char*> argv = c_strings(words);
    const std::vector<char*> envp = c_strings(settings);
    Pipe input = make_pipe();
    Pipe output = make_pipe();
    Pipe errors = make_pipe();
    pid_ = ::fork();
    if (pid_ < 0) throw system_error(errno, "start", "/bin/sh", ErrorCode::unreachable);
    if (pid_ == 0) {
      ::setsid();
      for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGHUP, SIGPIPE, SIGXFSZ})
        ::signal(signal, SIG_DFL);
      restore_descriptor_limit();
      const std::array<int, 3> ends = {::fcntl(input.read_end.get(), F_DUPFD_CLOEXEC, 10),
                                       ::fcntl(output.write_end.get(), F_DUPFD_CLOEXEC, 10),
                                       ::fcntl(errors.write_end.get(), F_DUPFD_CLOEXEC, 10)};
      for (int stream = 0; stream < 3; ++stream) ::dup2(ends.at(stream), stream);
      ::execve(argv[0], argv.data(), envp.data());
      ::_exit(127);
    }
    input_ = std::move(input.write_end);
    output_ = std::move(output.read_end);
    errors_ = std::move(errors.read_end);
    for (const Descriptor* end : {&input_, &output_, &errors_})
      ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  }

  // Ends a program that was not waited for.
  ~LocalStream() override {
    if (pid_ <= 0) return;
    // It may not lead its group yet.
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  LocalStream(const LocalStream&) = delete;
  LocalStream& operator=(const LocalStream&) = delete;

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      wait(input_, POLLOUT, {});
      const ssize_t written = ::write(input_.get(), bytes.data(), bytes.size());
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
      if (written < 0 && errno != EAGAIN && errno != EINTR) lose();
    }
  }

  std::optional<std::string> read(std::int64_t timeout_ms) override {
    const WaitLimit limit(timeout_ms);
    for (;;) {
      const bool was_woken = wait(output_, POLLIN, limit);
      std::string bytes(256U << 10U, '\0');
      const ssize_t got = ::read(output_.get(), bytes.data(), bytes.size());
      if (got >= 0) {
        bytes.resize(static_cast<std::size_t>(got));
        return bytes;
      }
      if (errno != EAGAIN && errno != EINTR) lose();
      if (was_woken || limit.is_over()) return std::nullopt;
    }
  }

  void end_input() override { input_.close(); }

  std::string errors_so_far() const override { return said_; }

  RemoteEnd finish() override {
    for (;;) {
      const auto piece = read(std::int64_t{1} << 40U);
      if (piece && piece->empty()) break;
    }
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) throw_if_interrupted();
    pid_ = -1;
    take_errors();
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, said_};
  }

 private:
  // Whether the waker of this stream came first. Also reads standard error, because the program
  // would block otherwise.
  bool wait(const Descriptor& for_what, short event, const WaitLimit& limit) {
    std::array<pollfd, 4> watched = {{{for_what.get(), event, 0},
                                      {interrupt_descriptor(), POLLIN, 0},
                                      {event == POLLIN ? waker() : -1, POLLIN, 0},
                                      {-1, POLLIN, 0}}};
    do {
      throw_if_interrupted();
      take_errors();
      watched[3].fd = errors_.get();
      if (::poll(watched.data(), watched.size(), limit.poll_timeout()) < 0) watched[0].revents = 0;
      throw_if_interrupted();
    } while (watched[0].revents == 0 && watched[2].revents == 0 && !limit.is_over());
    return watched[2].revents != 0;
  }

  void take_errors() {
    std::array<char, 4096> bytes{};
    ssize_t got = -1;
    while (errors_.is_open() && (got = ::read(errors_.get(), bytes.data(), bytes.size())) > 0) {
      said_.append(bytes.data(), static_cast<std::size_t>(got));
      if (said_.size() > 2 * most_local_errors) said_.erase(0, said_.size() - most_local_errors);
    }
    if (got == 0) errors_.close();
  }

  [[noreturn]] void lose() {
    take_errors();
    throw ConnectionLost(
        format("the program has ended: {}", said_.empty() ? "no output" : last_words(said_)));
  }

  pid_t pid_ = -1;
  Descriptor input_;
  Descriptor output_;
  Descriptor errors_;
  std::string said_;
};

class LocalSession : public RemoteSession {
 public:
  explicit LocalSession(const std::map<std::string, std::string>& environment)
      : environment_(environment) {}
  std::unique_ptr<RemoteStream> start(const std::string& command_line) override {
    return std::make_unique<LocalStream>(environment_, command_line);
  }

 private:
  const std::map<std::string, std::string>& environment_;
};

class LocalRemote : public Remote {
 public:
  explicit LocalRemote(std::map<std::string, std::string> environment)
      : environment_(std::move(environment)) {}
  std::unique_ptr<RemoteSession> connect() override {
    return std::make_unique<LocalSession>(environment_);
  }

 private:
  const std::map<std::string, std::string> environment_;
};

}  // namespace

std::unique_ptr<Remote> local_remote(const std::map<std::string, std::string>& environment) {
  return std::make_unique<LocalRemote>(environment);
}

}  // namespace topsctl
