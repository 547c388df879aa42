// fork, chroot, exec, and a wait that ends with the program, its time limit or a signal to us.
#include "topsctl/host/system/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/startup.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_output = std::size_t{1} << 20U;
constexpr std::int64_t grace_ms = 5'000;  // between SIGTERM and SIGKILL

using SteadyClock = std::chrono::steady_clock;

struct Pipes {
  Pipe input = make_pipe();
  Pipe output = make_pipe();
  Pipe report = make_pipe();
  Pipe failure = make_pipe();  // errno of a start that failed; closed by a successful exec
  Pipe alive = make_pipe();    // closed when topsctl ends
  Pipe ended = make_pipe();    // written to or closed when the keeper ends
};

// Everything after fork is async-signal-safe; all memory was prepared before.
struct ChildImage {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::vector<std::string> candidates;  // of the program's path
  std::vector<char*> argv;
  std::vector<char*> envp;
  std::string root;
  const ProcessSetup* setup;

  explicit ChildImage(const Command& command)
      : arguments(command.argv), root(command.root.string()), setup(command.setup) {
    for (const auto& [name, value] : command.environment) {
      environment.push_back(concat(name, "=", value));
    }
    if (command.argv[0].find('/') != std::string::npos) {
      candidates.push_back(command.argv[0]);
    } else {
      const auto path = command.environment.find("PATH");
      const std::string folders =
          path == command.environment.end() ? "/usr/sbin:/usr/bin:/sbin:/bin" : path->second;
      for (const std::string& folder : split(folders, ':')) {
        if (folder.starts_with('/')) candidates.push_back(concat(folder, "/", command.argv[0]));
      }
    }
    argv = c_strings(arguments);
    envp = c_strings(environment);
  }

  [[noreturn]] void fail(int descriptor) const {
    const int reason = errno;
    static_cast<void>(!::write(descriptor, &reason, sizeof reason));
    ::_exit(127);
  }

  // The first child leads session and process group, and waits for the program, its own child. If
  // topsctl dies, the pipe from it closes, and the keeper ends the whole group: no program
  // continues without its journal.
  [[noreturn]] void start(const Pipes& pipes) {
    // Its own session, so without a terminal: signals of a lost terminal do not reach it, and no
    // program can prompt there.
    ::setsid();
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // The keeper survives the SIGTERM for the group, to report how the program ended.
    for (const int signal : {SIGINT, SIGTERM, SIGQUIT}) ::signal(signal, SIG_IGN);
    // Delivered only while the keeper waits, and must wake it: an ignored signal would not.
    struct sigaction wake {};
    wake.sa_handler = [](int) {};
    ::sigaction(SIGCHLD, &wake, nullptr);
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &child, nullptr);
    const pid_t program = ::fork();
    if (program < 0) fail(pipes.failure.write_end.get());
    if (program == 0) exec_program(pipes);
    keep(pipes, program);
  }

  // Sleeps until the program has ended, or topsctl.
  [[noreturn]] void keep(const Pipes& pipes, pid_t program) const {
    for (const Pipe* pipe : {&pipes.output, &pipes.report, &pipes.failure})
      ::close(pipe->write_end.get());
    ::close(pipes.input.read_end.get());
    ::close(pipes.input.write_end.get());
    ::close(pipes.alive.write_end.get());
    ::close(pipes.ended.read_end.get());
    sigset_t none;
    sigemptyset(&none);
    for (;;) {
      int status = 0;
      if (::waitpid(program, &status, WNOHANG) != program) {
        pollfd topsctl = {pipes.alive.read_end.get(), POLLIN, 0};
        if (::ppoll(&topsctl, 1, nullptr, &none) > 0) ::kill(0, SIGKILL);
        continue;
      }
      // The end of this process closes the pipe, but a program that another thread of topsctl
      // starts at this moment may inherit it.
      static_cast<void>(!::write(pipes.ended.write_end.get(), "1", 1));
      if (WIFSIGNALED(status)) {
        ::signal(WTERMSIG(status), SIG_DFL);
        ::raise(WTERMSIG(status));
      }
      ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 127);
    }
  }

  [[noreturn]] void exec_program(const Pipes& pipes) {
    for (const int signal :
         {SIGINT, SIGTERM, SIGQUIT, SIGALRM, SIGHUP, SIGPIPE, SIGXFSZ, SIGCHLD}) {
      ::signal(signal, SIG_DFL);
    }
    restore_descriptor_limit();
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // Moved up first: the descriptors of a pipe may themselves be 0 to 3.
    const int input = ::fcntl(pipes.input.read_end.get(), F_DUPFD_CLOEXEC, 10);
    const int output = ::fcntl(pipes.output.write_end.get(), F_DUPFD_CLOEXEC, 10);
    const int report = ::fcntl(pipes.report.write_end.get(), F_DUPFD_CLOEXEC, 10);
    const int failure = ::fcntl(pipes.failure.write_end.get(), F_DUPFD_CLOEXEC, 10);
    if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0 ||
        ::dup2(report, 3) < 0) {
      fail(failure);
    }
    if (!enter_root() || ::chdir("/") != 0) fail(failure);
    if (setup != nullptr && !setup->apply()) fail(failure);
    int reason = ENOENT;
    for (const std::string& candidate : candidates) {
      ::execve(candidate.c_str(), argv.data(), envp.data());
      if (errno != ENOENT && errno != ENOTDIR) reason = errno;
    }
    errno = reason;
    fail(failure);
  }

  bool enter_root() const { return root == "/" || ::chroot(root.c_str()) == 0; }
};

void append_bounded(std::string& to, std::string_view piece) {
  to.append(piece);
  if (to.size() > 2 * most_output) to.erase(0, to.size() - most_output);
}

class Running {
 public:
  Running(const Command& command, pid_t pid, Pipes& pipes)
      : command_(command), pid_(pid), pipes_(pipes), started_(SteadyClock::now()) {
    ::fcntl(pipes_.input.write_end.get(), F_SETFL, O_NONBLOCK);
  }

  RunResult finish() {
    while (!ended_) step();
    drain();
    if (result_.output.size() > most_output) {
      result_.output.erase(0, result_.output.size() - most_output);
    }
    if (stopped_by_signal_) throw_if_interrupted();
    return std::move(result_);
  }

 private:
  std::int64_t elapsed_ms() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - started_)
        .count();
  }

  // The remaining time until the next deadline, rounded up; -1: none.
  int poll_timeout() const {
    if (is_killed_) return -1;
    const std::int64_t due = stopped_at_ ? *stopped_at_ + grace_ms : command_.timeout_ms;
    constexpr std::int64_t most = 86'400'000;
    return static_cast<int>(std::clamp<std::int64_t>(due - elapsed_ms() + 1, 0, most));
  }

  void step() {
    std::array<pollfd, 5> watched = {{
        {pipes_.output.read_end.get(), POLLIN, 0},
        {pipes_.report.read_end.get(), POLLIN, 0},
        {stopped_at_ ? -1 : interrupt_descriptor(), POLLIN, 0},
        {pipes_.input.write_end.get(), POLLOUT, 0},
        // The program's own end: a remaining daemon may keep the output open.
        {pipes_.ended.read_end.get(), POLLIN, 0},
    }};
    if (::poll(watched.data(), watched.size(), poll_timeout()) < 0) watched = {};
    if (watched[0].revents != 0) take_output();
    if (watched[1].revents != 0) take_report();
    if (watched[3].revents != 0) give_input();
    if (is_interrupted() && !stopped_at_) {
      stopped_by_signal_ = true;
      stop(SIGTERM);
    }
    const std::int64_t now = elapsed_ms();
    if (!stopped_at_ && now > command_.timeout_ms) {
      result_.timed_out = true;
      stop(SIGTERM);
    }
    const bool is_overdue = stopped_at_ && !is_killed_ && now > *stopped_at_ + grace_ms;
    if (is_overdue) {
      is_killed_ = true;
      ::kill(-pid_, SIGKILL);
    }
    if (is_overdue || watched[4].revents != 0) reap();
  }

  void stop(int signal) {
    stopped_at_ = elapsed_ms();
    ::kill(-pid_, signal);
  }

  void reap() {
    int status = 0;
    pid_t done = -1;
    while ((done = ::waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
    }
    ended_ = true;
    if (done != pid_) return;
    if (WIFEXITED(status)) result_.status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
    // Remaining processes of a failed program must not write while its work is undone.
    if (stopped_at_ || status != 0) ::kill(-pid_, SIGKILL);
  }

  void drain() {
    for (Pipe* pipe : {&pipes_.output, &pipes_.report}) {
      if (pipe->read_end.is_open()) ::fcntl(pipe->read_end.get(), F_SETFL, O_NONBLOCK);
    }
    while (pipes_.output.read_end.is_open() && take_output()) {
    }
    while (pipes_.report.read_end.is_open() && take_report()) {
    }
  }

  // Whether there was something to take.
  bool take(Pipe& pipe, const std::function<void(std::string_view)>& consume) {
    std::array<char, 16384> bytes{};
    const ssize_t got = ::read(pipe.read_end.get(), bytes.data(), bytes.size());
    if (got > 0) {
      consume(std::string_view(bytes.data(), static_cast<std::size_t>(got)));
      return true;
    }
    if (got == 0) pipe.read_end.close();
    return false;
  }

  bool take_output() {
    return take(pipes_.output, [&](std::string_view piece) {
      append_bounded(result_.output, piece);
      if (command_.on_output) command_.on_output(piece);
    });
  }

  bool take_report() {
    return take(pipes_.report, [&](std::string_view piece) {
      if (result_.report.size() + piece.size() <= most_output) result_.report.append(piece);
    });
  }

  void give_input() {
    const std::string_view rest = std::string_view(command_.input).substr(given_);
    const ssize_t written =
        rest.empty() ? 0 : ::write(pipes_.input.write_end.get(), rest.data(), rest.size());
    if (written > 0) given_ += static_cast<std::size_t>(written);
    if (written < 0 && errno == EAGAIN) return;
    if (written < 0 || given_ == command_.input.size()) pipes_.input.write_end.close();
  }

  const Command& command_;
  pid_t pid_;
  Pipes& pipes_;
  SteadyClock::time_point started_;
  RunResult result_;
  std::size_t given_ = 0;
  bool ended_ = false;
  bool stopped_by_signal_ = false;
  bool is_killed_ = false;
  std::optional<std::int64_t> stopped_at_;
};

}  // namespace

std::string RunResult::ending() const {
  if (timed_out) return format("timed out and was stopped");
  if (signal != 0) return format("killed by signal {}", signal);
  return format("exit status {}", status);
}

RunResult SystemRunner::run(const Command& command) {
  throw_if_interrupted();
  ChildImage image(command);
  Pipes pipes;
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error(errno, "start", command.argv[0], ErrorCode::host_unfit);
  if (pid == 0) image.start(pipes);
  pipes.input.read_end.close();
  pipes.output.write_end.close();
  pipes.report.write_end.close();
  pipes.failure.write_end.close();
  pipes.alive.read_end.close();
  pipes.ended.write_end.close();
  // A setup may block.
  const bool is_settled = wait_for({pipes.failure.read_end.get()}, WaitLimit(command.timeout_ms));
  int reason = is_settled && !is_interrupted() ? 0 : ETIMEDOUT;
  if (reason == ETIMEDOUT) {
    // It may not lead its group yet.
    ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
  } else if (::read(pipes.failure.read_end.get(), &reason, sizeof reason) != sizeof reason) {
    reason = 0;
  }
  if (reason != 0) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    throw_if_interrupted();
    throw system_error(reason, "start", command.argv[0], ErrorCode::host_unfit);
  }
  return Running(command, pid, pipes).finish();
}

pid_t start_copy(const std::function<int()>& work) {
  const pid_t pid = ::fork();
  if (pid < 0) throw system_error(errno, "start", "a copy of topsctl", ErrorCode::host_unfit);
  if (pid > 0) return pid;
  for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_IGN);
  int result = 1;
  try {
    result = work();
  } catch (...) {
    result = 1;
  }
  ::_exit(result);
}

}  // namespace topsctl
