// Runs programs and ensures that none of their descendants is left over.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Exit status of a program killed by a signal, as in shells: this plus the signal's number.
inline constexpr int signal_base = 128;

// One at a time, in a single-threaded process that runs nothing else: supervises all descendants of
// this process. Adopts orphans (prctl(2), PR_SET_CHILD_SUBREAPER), so that a new session does not
// hide them.
class Supervisor {
 public:
  Supervisor();  // throws Error
  // Kills all remaining descendants.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Starts a program in its own session, without a terminal, in this working directory, with
  // exactly this environment; standard output and standard error go to `output`. If this process
  // dies, the program gets SIGKILL. A program that cannot be started ends with status 127 and
  // writes the reason there. Throws Error if no process can be started.
  pid_t start(const std::vector<std::string>& argv,
              const std::map<std::string, std::string>& environment, const Descriptor& output);

  // Readable when a descendant has ended.
  int descriptor() const { return ended_.get(); }
  // Reaps ended descendants.
  void reap();
  // The exit status of a started program, or 128 plus the number of the signal; nothing while it
  // runs.
  std::optional<int> status(pid_t program) const;
  void signal_all(int number) const;
  // Whether no descendant is left.
  bool is_over() const { return !has_children_; }

 private:
  std::map<pid_t, int> statuses_;
  bool has_children_ = false;
  Descriptor ended_;
};

// The descendants of a process, without itself; any of them may end at any moment.
std::vector<pid_t> descendants_of(pid_t process);

// Distinguishes a process from a later one with the same number: the boot id, and the start time.
// Empty: there is no such process, or it is a zombie.
std::string start_of_process(pid_t process);

// "R", "S", "D", "T", ... as in proc(5); empty: there is no such process.
std::string state_of_process(pid_t process);

// Sends a signal to the process with this start, never to a later one with its number, and waits
// for its end; false if that takes longer than `timeout_ms`. Throws Error{permission} for another
// user's process.
bool signal_process(pid_t process, const std::string& start, int number, std::int64_t timeout_ms);

// Processor time used by these processes so far, in milliseconds; omits those that have ended.
std::map<pid_t, std::int64_t> processor_times_of(const std::vector<pid_t>& processes);

// From now on this process, and a program that it executes, gets SIGKILL when its parent dies.
void die_with_parent();

}  // namespace topsctl
