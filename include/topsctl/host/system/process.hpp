// Runs other programs: argument vectors only, always with a time limit.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Setup that a new process applies to itself just before exec.
class ProcessSetup {
 public:
  virtual ~ProcessSetup() = default;
  // Safe after fork. False with errno set: the program is not started.
  virtual bool apply() const = 0;
};

struct Command {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH of `environment`
  std::map<std::string, std::string> environment;  // the complete one; nothing is inherited
  std::filesystem::path root = "/";                // root directory of the program
  std::string input;                               // standard input
  std::int64_t timeout_ms = 60'000;
  // Called with each piece of standard output and standard error as it arrives.
  std::function<void(std::string_view)> on_output;
  const ProcessSetup* setup = nullptr;  // must outlive the run
};

struct RunResult {
  int status = -1;  // exit status; -1: ended by a signal
  int signal = 0;
  bool timed_out = false;  // killed by us after timeout_ms
  std::string output;      // end of standard output and standard error together, at most 1 MiB
  std::string report;      // output on descriptor 3, at most 1 MiB

  bool ok() const { return status == 0 && !timed_out; }
  // "exit status 1", "killed by signal 9", "timed out and was stopped".
  std::string ending() const;
};

// The interface to other programs; tests substitute their own. A program runs in its own session:
// it has no terminal, and losing our terminal does not affect it.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // Throws Error{host_unfit} if the program cannot be started, Error{interrupted, terminated} if a
  // signal asked topsctl to stop; the program and its descendants in its process group have ended
  // then.
  virtual RunResult run(const Command& command) = 0;
};

class SystemRunner : public ProcessRunner {
 public:
  RunResult run(const Command& command) override;
};

// Starts a copy of this process that runs `work` and exits with its result, or with 1 if it throws.
// The copy ignores SIGINT and SIGTERM. For a single-threaded process. Throws Error if no process
// can be started.
pid_t start_copy(const std::function<int()>& work);

// Starts this program with these arguments as a daemon: in its own session, without a terminal,
// with output to /dev/null and an empty environment. The returned descriptor becomes readable after
// that process calls declare_ready(), or ends. Throws Error{host_unfit}.
Descriptor start_detached(const std::vector<std::string>& arguments);

// Starts a copy of this process as a daemon that runs `work`, also after this process ends: in its
// own session, without a terminal, not ended by SIGINT, SIGTERM and SIGHUP. Keeps only the
// descriptor `kept` open and passes it to `work`. No other thread may be running. Throws
// Error{host_unfit}.
void daemonize(const Descriptor& kept, const std::function<void(int)>& work);

// Notifies the process that called start_detached(); does nothing in any other process.
void declare_ready();

}  // namespace topsctl
