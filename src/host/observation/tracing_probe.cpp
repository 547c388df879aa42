// Traces a copy of topsctl itself that makes one call.
#include "topsctl/host/observation/tracing_probe.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "host/observation/traced_call.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/observation/call_tracer.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr const char* probed_path = "/nonexistent/topsctl-probe";
constexpr int unread = 200;  // not an errno: the call was not reported, or not as it was made

// Runs in a separate process. Its exit status: 0 for success, else an errno.
int try_tracing() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return errno;
  int result = unread;
  CallTracer calls(
      ends[0],
      [&](const CallNotice& notice) {
        const CallShape* shape = shape_of_call(notice.architecture, notice.number);
        if (shape == nullptr || shape->path < 0) return 0;
        const auto at = static_cast<std::size_t>(shape->path);
        if (text_in_process(notice.process, notice.arguments.at(at)) != probed_path) return 0;
        result = 0;
        return EXDEV;  // which no kernel answers
      },
      [&](const std::string&) { result = unread; });
  const pid_t tracer = ::getpid();
  const pid_t program = start_copy([&] {
    ::close(ends[0]);
    if (!TracedStart(ends[1], tracer).apply()) return errno;
    return ::chmod(probed_path, 0) != 0 && errno == EXDEV ? 0 : unread;
  });
  ::close(ends[1]);
  calls.serve([] { return false; });
  // If tracing failed, the program has not been reaped yet.
  int status = 0;
  const bool is_left = ::waitpid(program, &status, 0) == program;
  return is_left && WIFEXITED(status) ? WEXITSTATUS(status) : result;
}

std::string why_unreported(int reason) {
  if (reason == EPERM || reason == EACCES)
    return format("topsctl may not trace programs (ptrace is refused)");
  if (reason == unread) return format("this kernel does not tell system calls (ptrace)");
  return format("programs cannot be traced: {}", std::strerror(reason));
}

}  // namespace

std::string why_not_observable() {
  if (!can_trace_calls()) return format("topsctl cannot trace programs of this architecture");
  const pid_t probe = start_copy(try_tracing);
  constexpr std::chrono::seconds patience{5};
  const auto end = std::chrono::steady_clock::now() + patience;
  for (int status = 0;;) {
    const pid_t done = ::waitpid(probe, &status, WNOHANG);
    if (done == probe)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0
                 ? std::string()
                 : why_unreported(WIFEXITED(status) ? WEXITSTATUS(status) : unread);
    const bool is_late = std::chrono::steady_clock::now() > end;
    if (is_late || is_interrupted() || (done < 0 && errno != EINTR)) {
      ::kill(probe, SIGKILL);
      ::waitpid(probe, &status, 0);
      throw_if_interrupted();
      return why_unreported(ETIME);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace topsctl
