// SIGINT and SIGTERM as a question that can be asked between steps.
#pragma once

namespace topsctl {

// Installs handlers for SIGINT and SIGTERM; ignores SIGHUP and SIGPIPE, so that a lost terminal or
// connection ends no step.
void watch_signals();

// A descriptor that becomes readable once a signal has come; -1 before watch_signals().
int interrupt_descriptor();

// Throws Error{interrupted} or Error{terminated} if a signal has come since the last clear.
void throw_if_interrupted();

// Whether a signal has come.
bool is_interrupted();

// Forgets a signal that has come: a rollback that it caused must run to its end.
void clear_interrupt();

}  // namespace topsctl
