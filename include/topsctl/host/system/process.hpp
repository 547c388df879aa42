// Running other programs: argument vectors only, always with a time limit.
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

// What a new process does to itself just before it becomes the program.
class ProcessSetup {
 public:
  virtual ~ProcessSetup() = default;
  // Safe after fork. False with errno set: the program is not started.
  virtual bool apply() const = 0;
};

struct Command {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH of `environment`
  std::map<std::string, std::string> environment;  // the whole of it; nothing is inherited
  std::filesystem::path root = "/";                // the program is run in this root directory
  std::string input;                               // standard input
  std::int64_t timeout_ms = 60'000;
  // Called with each piece of standard output and standard error as it comes.
  std::function<void(std::string_view)> on_output;
  const ProcessSetup* setup = nullptr;  // must outlive the run
};

struct RunResult {
  int status = -1;  // exit status; -1: ended by a signal
  int signal = 0;
  bool timed_out = false;  // ended by us for taking too long
  std::string output;      // end of standard output and standard error together, at most 1 MiB
  std::string report;      // what was written to descriptor 3, at most 1 MiB

  bool ok() const { return status == 0 && !timed_out; }
  // "exit status 1", "killed by signal 9", "timed out and was stopped".
  std::string ending() const;
};

// The seam to other programs; tests put their own in its place. A program that is run leads a
// session of its own: it has no terminal, and the loss of ours does not reach it.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // Throws Error{host_unfit} if the program cannot be started, Error{interrupted, terminated} if a
  // signal asked topsctl to stop; the program and its descendants in its process group have then
  // ended.
  virtual RunResult run(const Command& command) = 0;
};

class SystemRunner : public ProcessRunner {
 public:
  RunResult run(const Command& command) override;
};

// Starts a copy of this process that does `work` and ends with its result, or with 1 if it throws.
// SIGINT and SIGTERM do not reach it. For a process of one thread. Throws Error if there can be no
// more processes.
pid_t start_copy(const std::function<int()>& work);

// Starts this very program with these arguments as a process of nobody: in a session of its own,
// without a terminal, its output at /dev/null, in an empty environment. What is returned becomes
// readable once that process calls declare_ready(), or has ended. Throws Error{host_unfit}.
Descriptor start_detached(const std::vector<std::string>& arguments);

// Starts a copy of this process that does `work` beside it and after its end: a child of nobody, in
// a session of its own, without a terminal, which SIGINT, SIGTERM and SIGHUP do not end. Of open
// descriptors it has `kept` alone, which is handed to `work`. No other thread may be at work.
// Throws Error{host_unfit}.
void start_keeper(const Descriptor& kept, const std::function<void(int)>& work);

// Tells whoever started this process with start_detached(); does nothing in any other.
void declare_ready();

}  // namespace topsctl
