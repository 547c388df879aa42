// Programs with all that descends from them: whatever becomes of them, nothing of it is left over.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// The exit status of a program that a signal has ended, as shells have it: this and its number.
inline constexpr int signal_base = 128;

// One at a time, in a process of one thread that runs nothing else meanwhile: whatever descends
// from this process is supervised. It adopts orphans (prctl(2), PR_SET_CHILD_SUBREAPER), so that a
// session of its own hides none.
class Supervisor {
 public:
  Supervisor();  // throws Error
  // Kills what is left.
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  // Starts a program in a session of its own, without a terminal, in this working directory, with
  // exactly this environment; standard output and standard error go to `output`. If this process
  // dies, it gets SIGKILL. A program that cannot be started ends with status 127 and says why
  // there. Throws Error if there can be no more processes.
  pid_t start(const std::vector<std::string>& argv,
              const std::map<std::string, std::string>& environment, const Descriptor& output);

  // Readable when one of them has ended.
  int descriptor() const { return ended_.get(); }
  // Buries those that have ended.
  void reap();
  // Of a program that was started: its exit status, or 128 and the number of the signal; nothing
  // while it runs.
  std::optional<int> status(pid_t program) const;
  void signal_all(int number) const;
  // Whether nothing runs any more.
  bool is_over() const { return !has_children_; }

 private:
  std::map<pid_t, int> statuses_;
  bool has_children_ = false;
  Descriptor ended_;
};

// Of the process and all that descends from it, without itself; a process may end at any moment.
std::vector<pid_t> descendants_of(pid_t process);

// What tells a process from a later one with its number: the boot, and when it began in it. Empty:
// there is no such process, or it has ended and nobody has reaped it.
std::string start_of_process(pid_t process);

// "R", "S", "D", "T", ... as proc(5) has it; empty: there is no such process.
std::string state_of_process(pid_t process);

// Sends a signal to the process that began so, and to no later one with its number, and waits until
// it has ended; false if that takes longer. Throws Error{permission} for another user's.
bool signal_process(pid_t process, const std::string& start, int number, std::int64_t patience_ms);

// Processor time that these processes have used so far, in milliseconds; those that have ended are
// left out.
std::map<pid_t, std::int64_t> processor_times_of(const std::vector<pid_t>& processes);

// From now on this process, and the program that it becomes, gets SIGKILL when its parent dies.
void die_with_parent();

}  // namespace topsctl
