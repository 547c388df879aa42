// Running other programs: argument vectors only, always with a time limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

struct Command {
  std::vector<std::string> argv;                   // argv[0] is looked up in PATH of `environment`
  std::map<std::string, std::string> environment;  // the whole of it; nothing is inherited
  std::filesystem::path root = "/";                // the program is run in this root directory
  std::string input;                               // standard input
  std::int64_t timeout_ms = 60'000;
  // Called with each piece of standard output and standard error as it comes.
  std::function<void(std::string_view)> on_output;
};

struct RunResult {
  int status = -1;  // exit status; -1: ended by a signal
  int signal = 0;
  bool timed_out = false;  // ended by us for taking too long
  std::string output;      // end of standard output and standard error together, at most 1 MiB
  std::string report;      // what was written to descriptor 3, at most 1 MiB

  bool ok() const { return status == 0 && !timed_out; }
  // "exit status 1", "killed by signal 9", "stopped for taking too long".
  std::string ending() const;
};

// The seam to other programs; tests put their own in its place.
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

}  // namespace topsctl
