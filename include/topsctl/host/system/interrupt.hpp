// Polls SIGINT, SIGQUIT, SIGTERM and a deadline between steps.
#pragma once

namespace topsctl {

// Installs handlers for SIGINT, SIGQUIT, SIGTERM and SIGALRM; ignores SIGHUP and SIGPIPE, so that a
// lost terminal or connection ends no step, and SIGXFSZ, so that exceeding a file size limit is an
// error.
void watch_signals();
// Undoes watch_signals(), before another program replaces this one.
void unwatch_signals();

// A descriptor that becomes readable after a signal; -1 before watch_signals().
int interrupt_descriptor();

// Throws Error{interrupted} or Error{terminated} if a signal has come since the last clear,
// Error{step_failed} if the deadline is over.
void throw_if_interrupted();

// Throws the same for a signal that was cleared: SIGINT, SIGQUIT or SIGTERM.
[[noreturn]] void throw_interrupted_by(int signal);

// Whether a signal has come or the deadline is over.
bool is_interrupted();

// Clears a received signal and the deadline: the rollback that they caused must not be interrupted.
void clear_interrupt();

// While it lives, work is interrupted after this time as by a signal. One at a time.
class Deadline {
 public:
  explicit Deadline(int seconds);  // 0: none
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
};

}  // namespace topsctl
