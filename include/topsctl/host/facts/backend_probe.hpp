// Tries a communication backend of PyTorch in an interpreter: from the import to a process group,
// with a report after each step.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/facts/probe_lines.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/check_rule.hpp"

namespace topsctl {

struct BackendTrial {
  std::vector<ProbeStep> steps;  // in order; the last may be interrupted
  std::string ending;            // "killed by signal 4": empty unless a step was interrupted
  std::string output;            // the last output lines of the process, printable
  std::string whole_output;      // the same, at most 100 lines
  bool timed_out = false;

  const ProbeStep* step(std::string_view name) const;  // the first step of that name; nullptr: not
                                                       // tried
};

struct BackendRequest {
  std::string python;
  BackendRules backend;
  std::vector<std::string> steps;  // "cards" is one step per card
  std::int64_t cards = 0;
  std::int64_t ranks = 0;
  std::map<std::string, std::string> environment;  // added to the host's default environment
  std::int64_t timeout_ms = 0;
  std::vector<std::int64_t> accepted;  // of the step library: results of the function beside 0
  std::string marker;                  // of the step loaded: text that the library must contain
};

// Runs the steps in one process of the interpreter, since each import of torch takes a second; a
// failed step ends it. Any output and any end of the process give a trial. Throws Error{host_unfit}
// if the interpreter cannot be started, Error{interrupted, terminated}.
BackendTrial try_backend(const Host& host, const BackendRequest& request);

}  // namespace topsctl
