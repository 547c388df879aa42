// Waits for the stops of traced processes, and continues them.
#include "topsctl/host/observation/call_tracer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <memory>
#include <optional>

#include "host/observation/traced_call.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/pipe.hpp"

namespace topsctl {

namespace {

// A signal just before the wait for stops is lost; the next one compensates for it.
constexpr int program_signal = SIGUSR1;
constexpr int tick_signal = SIGALRM;
constexpr suseconds_t tick_us = 100'000;
constexpr int repeat_ms = 2;
// Where each call stops its process, the next stop comes sooner than an idle CPU wakes.
constexpr std::chrono::microseconds spin_time(100);

volatile sig_atomic_t is_woken = 0;

struct Arrival {
  pid_t process = 0;
  Descriptor answer;  // receives an errno
  bool is_filtered = false;
};

// The kernel reports the sender, by its process number in this namespace.
std::optional<Arrival> receive_arrival(int socket) {
  int is_filtered = 0;
  iovec body = {&is_filtered, sizeof is_filtered};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(ucred))> room{};
  msghdr message{};
  message.msg_iov = &body;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) <= 0) return std::nullopt;
  Arrival arrival;
  arrival.is_filtered = is_filtered != 0;
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
       each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET) continue;
    if (each->cmsg_type == SCM_RIGHTS) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(each), sizeof descriptor);
      arrival.answer = Descriptor(descriptor);
    } else if (each->cmsg_type == SCM_CREDENTIALS) {
      ucred sender{};
      std::memcpy(&sender, CMSG_DATA(each), sizeof sender);
      arrival.process = sender.pid;
    }
  }
  return arrival;
}

// Whether the tracees can run while this process polls.
bool is_another_cpu_usable() {
  cpu_set_t usable{};
  return ::sched_getaffinity(0, sizeof usable, &usable) != 0 || CPU_COUNT(&usable) > 1;
}

bool is_stopping(int signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

constexpr std::uint64_t trace_options =
    PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
    PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP;

std::uint32_t answer_to(const FilterText& filter, const CallNotice& notice) {
  seccomp_data data{};
  data.arch = notice.architecture;
  data.nr = notice.number;
  for (std::size_t i = 0; i < notice.arguments.size(); ++i)
    data.args[i] = notice.arguments.at(i);  // NOLINT: the kernel's
  return filter.answer_to(data);
}

}  // namespace

TracedStart::TracedStart(int socket, pid_t tracer)
    : socket_(socket), tracer_(tracer), filter_(observing_filter()) {}

bool TracedStart::apply() const {
  // Where only a descendant may be traced (Yama); unknown to a kernel without that.
  ::prctl(PR_SET_PTRACER, tracer_, 0, 0, 0);
  std::array<int, 2> answer{};
  if (::pipe2(answer.data(), O_CLOEXEC) != 0) return false;
  // Without CAP_SYS_ADMIN a filter needs no_new_privs, which a daemon of a script would keep. With
  // an outer filter that notifies a container manager, the kernel would ask the manager only.
  const bool is_under_filter = ::prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
  const int is_filtered = !is_under_filter && filter_.apply() ? 1 : 0;
  const bool is_sent = send_descriptor(socket_, answer[1], is_filtered);
  int reason = errno;
  ::close(answer[1]);
  if (!is_sent) {
    errno = reason;
    return false;
  }
  pollfd watched = {answer[0], POLLIN, 0};
  // Its end closes the pipe.
  do {
    ::kill(tracer_, program_signal);
  } while (::poll(&watched, 1, repeat_ms) <= 0);
  const bool is_reported = ::read(answer[0], &reason, sizeof reason) == sizeof reason;
  ::close(answer[0]);
  errno = is_reported ? reason : ECHILD;
  return is_reported && reason == 0;
}

// Signals that wake a wait, and nothing else.
class CallTracer::Waking {
 public:
  Waking() {
    struct sigaction woken {};
    woken.sa_handler = [](int) { is_woken = 1; };
    for (const int signal : {program_signal, tick_signal}) {
      ::sigaddset(&signals_, signal);
      ::sigaction(signal, &woken, nullptr);
    }
    allow();
    const itimerval ticks = {{0, tick_us}, {0, tick_us}};
    ::setitimer(ITIMER_REAL, &ticks, nullptr);
  }
  ~Waking() {
    const itimerval none{};
    ::setitimer(ITIMER_REAL, &none, nullptr);
  }
  Waking(const Waking&) = delete;
  Waking& operator=(const Waking&) = delete;

  void allow() const { ::sigprocmask(SIG_UNBLOCK, &signals_, nullptr); }
  void forbid() const { ::sigprocmask(SIG_BLOCK, &signals_, nullptr); }

 private:
  sigset_t signals_{};
};

CallTracer::CallTracer(int socket, Judge judge, Tell tell)
    : socket_(socket),
      judge_(std::move(judge)),
      tell_(std::move(tell)),
      filter_(observing_filter()),
      waking_(std::make_unique<Waking>()),
      has_other_cpu_(is_another_cpu_usable()) {
  const int yes = 1;
  if (::setsockopt(socket, SOL_SOCKET, SO_PASSCRED, &yes, sizeof yes) != 0)
    throw system_error(errno, "ask for credentials", "a socket");
}

CallTracer::~CallTracer() = default;

void CallTracer::serve(const std::function<bool()>& is_over) {
  while (is_open_ || !tracees_.empty()) {
    int status = 0;
    const pid_t process = tracees_.empty() ? 0 : next_stop(status);
    if (process > 0) {
      waking_->forbid();
      take(process, status);
      waking_->allow();
    } else if (tracees_.empty()) {
      pollfd watched = {socket_, POLLIN, 0};
      ::poll(&watched, 1, -1);  // ticks end it
      is_woken = 1;
    } else if (errno != EINTR) {
      tracees_.clear();  // ECHILD: no child is left
    }
    if (is_woken == 0) continue;
    is_woken = 0;
    waking_->forbid();
    look_around(is_over);
    waking_->allow();
  }
}

pid_t CallTracer::next_stop(int& status) const {
  const auto end = std::chrono::steady_clock::now() + spin_time;
  do {
    const pid_t process = ::waitpid(-1, &status, __WALL | WNOHANG);
    if (process != 0) return process;
    if (is_woken == 0) continue;
    errno = EINTR;
    return -1;
  } while (has_other_cpu_ && std::chrono::steady_clock::now() < end);
  return ::waitpid(-1, &status, __WALL);
}

void CallTracer::look_around(const std::function<bool()>& is_over) {
  if (is_open_) {
    pollfd watched = {socket_, POLLIN, 0};
    if (::poll(&watched, 1, 0) > 0) {
      if ((watched.revents & POLLIN) != 0) {
        take_program();
      } else {
        is_open_ = false;
      }
    }
  }
  if (!is_over_ && is_over()) let_go();
}

void CallTracer::take_program() {
  const auto arrival = receive_arrival(socket_);
  if (!arrival) {
    is_open_ = false;
    return;
  }
  if (!arrival->answer.is_open()) return;
  is_filtered_ = arrival->is_filtered;
  const int reason = seize(arrival->process);
  static_cast<void>(!::write(arrival->answer.get(), &reason, sizeof reason));
}

// The program is blocked in the read of the answer.
int CallTracer::seize(pid_t process) {
  if (trace(PTRACE_SEIZE, process, 0, trace_options) != 0) return errno;
  if (trace(PTRACE_INTERRUPT, process) != 0) return errno;
  tracees_[process] = {};
  for (;;) {
    int status = 0;
    const pid_t stopped = ::waitpid(process, &status, __WALL);
    if (stopped < 0 && errno == EINTR) continue;
    if (stopped < 0) return errno;
    take(process, status);
    if (WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP) return 0;
    if (!WIFSTOPPED(status)) return ESRCH;
  }
}

void CallTracer::let_go() {
  is_over_ = true;
  if (is_filtered_) return;
  for (const auto& [process, tracee] : tracees_) trace(PTRACE_INTERRUPT, process);
}

void CallTracer::take(pid_t process, int status) {
  if (!WIFSTOPPED(status)) {
    tracees_.erase(process);
    return;
  }
  Tracee& tracee = tracees_[process];
  const int signal = WSTOPSIG(status);
  switch (status >> 16) {  // the event
    case 0:
      if (signal != (SIGTRAP | 0x80)) return go_on(process, signal);
      tracee.is_in_call = !tracee.is_in_call;
      if (tracee.is_in_call) judge(process, tracee);
      return go_on(process, 0);
    case PTRACE_EVENT_SECCOMP:
      judge(process, tracee);
      return go_on(process, 0);
    case PTRACE_EVENT_STOP:
      // A stop of the whole process, which SIGCONT ends.
      if (is_stopping(signal) && !is_over_ && trace(PTRACE_LISTEN, process) == 0) return;
      return go_on(process, 0);
    case PTRACE_EVENT_EXEC: {
      // Of a thread that has become the process.
      unsigned long former = 0;
      if (trace(PTRACE_GETEVENTMSG, process, 0, reinterpret_cast<std::uint64_t>(&former)) == 0 &&
          static_cast<pid_t>(former) != process)
        tracees_.erase(static_cast<pid_t>(former));
      tracees_[process] = {.is_in_call = true};
      return go_on(process, 0);
    }
    default:
      return go_on(process, 0);
  }
}

void CallTracer::go_on(pid_t process, int signal) {
  const bool is_to_go = is_over_ && !is_filtered_;
  const __ptrace_request request = is_to_go       ? PTRACE_DETACH
                                   : is_filtered_ ? PTRACE_CONT
                                                  : PTRACE_SYSCALL;
  if (trace(request, process, 0, static_cast<std::uint64_t>(signal)) != 0)
    return give_up(process, errno);
  if (is_to_go) tracees_.erase(process);
}

void CallTracer::judge(pid_t process, Tracee& tracee) {
  if (is_over_) return;
  TracedCall call(process);
  if (!call.read()) return give_up(process, errno);
  if (!call.is_readable()) {
    tracee.is_in_call = false;
    if (!call.make_readable()) give_up(process, errno);
    return;
  }
  const CallNotice notice = call.notice();
  const std::uint32_t answer = answer_to(filter_, notice);
  int reason = 0;
  switch (answer & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_ALLOW:
      return;
    case SECCOMP_RET_ERRNO:
      reason = static_cast<int>(answer & SECCOMP_RET_DATA);
      break;
    default:
      reason = judge_(notice);
  }
  if (reason != 0 && !call.refuse(reason)) give_up(process, errno);
}

// A process whose call can be neither judged nor continued must not run.
void CallTracer::give_up(pid_t process, int reason) {
  if (reason == ESRCH) return;  // it was killed, which the next wait reports
  tell_(format("cannot answer a system call of process {}: {}", process, std::strerror(reason)));
  ::kill(process, SIGKILL);
}

}  // namespace topsctl
