// SIGINT, SIGQUIT, SIGTERM and a deadline as a question that can be asked between steps.
#pragma once

namespace topsctl {

// Installs handlers for SIGINT, SIGQUIT, SIGTERM and SIGALRM; ignores SIGHUP and SIGPIPE, so that a
// lost terminal or connection ends no step, and SIGXFSZ: a file that may not grow is an error.
void watch_signals();
// What watch_signals() changed is as it was, for a program in the place of this one.
void unwatch_signals();

// A descriptor that becomes readable once a signal has come; -1 before watch_signals().
int interrupt_descriptor();

// Throws Error{interrupted} or Error{terminated} if a signal has come since the last clear,
// Error{step_failed} if the deadline is over.
void throw_if_interrupted();

// Whether a signal has come or the deadline is over.
bool is_interrupted();

// Forgets a signal that has come, and the deadline: a rollback that it caused must run to its end.
void clear_interrupt();

// While it lives, work that takes longer than this is interrupted as by a signal. One at a time.
class Deadline {
 public:
  explicit Deadline(int seconds);  // 0: none
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
};

}  // namespace topsctl
