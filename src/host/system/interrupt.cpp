// Signal handlers that only take note.
#include "topsctl/host/system/interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// A handler can reach nothing but statics.
volatile std::sig_atomic_t received = 0;
std::array<int, 2> wake_pipe = {-1, -1};
int deadline_s = 0;
constexpr std::array<int, 7> watched = {SIGINT, SIGQUIT, SIGTERM, SIGALRM,
                                        SIGHUP, SIGPIPE, SIGXFSZ};
std::array<struct sigaction, watched.size()> before;

void take_note(int signal) {
  const int saved = errno;
  // A person's signal has priority over the deadline.
  if (signal != SIGALRM || received == 0) received = signal;
  const char byte = 1;
  static_cast<void>(!::write(wake_pipe[1], &byte, 1));
  errno = saved;
}

void drain_wake_pipe() {
  std::array<char, 64> bytes{};
  while (wake_pipe[0] >= 0 && ::read(wake_pipe[0], bytes.data(), bytes.size()) > 0) {
  }
}

}  // namespace

void watch_signals() {
  if (wake_pipe[0] >= 0) return;
  if (::pipe2(wake_pipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw system_error(errno, "make", "a pipe");
  }
  for (std::size_t i = 0; i < watched.size(); ++i) ::sigaction(watched[i], nullptr, &before[i]);
  struct sigaction action {};
  action.sa_handler = take_note;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGALRM})
    ::sigaction(signal, &action, nullptr);
  for (const int signal : {SIGHUP, SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

void unwatch_signals() {
  if (wake_pipe[0] < 0) return;
  for (std::size_t i = 0; i < watched.size(); ++i) ::sigaction(watched[i], &before[i], nullptr);
}

int interrupt_descriptor() {
  return wake_pipe[0];
}

bool is_interrupted() {
  return received != 0;
}

void throw_interrupted_by(int signal) {
  if (signal == SIGTERM)
    throw Error(ErrorCode::terminated, "interrupted by SIGTERM",
                "run the same command again when you are ready");
  throw Error(ErrorCode::interrupted,
              signal == SIGINT ? "interrupted by SIGINT" : "interrupted by SIGQUIT",
              "run the same command again when you are ready");
}

void throw_if_interrupted() {
  if (received == SIGINT || received == SIGQUIT || received == SIGTERM)
    throw_interrupted_by(received);
  if (received == SIGALRM)
    throw Error(ErrorCode::step_failed,
                format("not finished within the deadline of {} s", deadline_s),
                "check the log for what took so long, or allow more time with --deadline");
}

void clear_interrupt() {
  ::alarm(0);
  received = 0;
  drain_wake_pipe();
}

Deadline::Deadline(int seconds) {
  deadline_s = seconds;
  ::alarm(static_cast<unsigned>(seconds));
}

Deadline::~Deadline() {
  ::alarm(0);
  if (received != SIGALRM) return;
  received = 0;
  // Otherwise every later wait would see a stale signal.
  drain_wake_pipe();
}

}  // namespace topsctl
