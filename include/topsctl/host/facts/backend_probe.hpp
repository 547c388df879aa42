// A communication backend of PyTorch tried out by an interpreter: from the import to a process
// group, each step told as it is gone.
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
  std::vector<ProbeStep> steps;  // in their order; the last may be cut off
  std::string ending;            // "killed by signal 4": empty unless a step was cut off
  std::string output;            // the last lines that the process printed, printable
  std::string whole_output;      // the same, at most 100 lines
  bool timed_out = false;

  const ProbeStep* step(std::string_view name) const;  // the first of it; nullptr: not tried
};

struct BackendRequest {
  std::string python;
  BackendRules backend;
  std::vector<std::string> steps;  // "cards" is one step for each card
  std::int64_t cards = 0;
  std::int64_t ranks = 0;
  std::map<std::string, std::string> environment;  // added to the plain one of the machine
  std::int64_t timeout_ms = 0;
  std::string marker;  // of the step loaded: text that the library must have
};

// One process for all steps: each further one would import torch again, which takes a second or
// more.
// Runs the steps in one process of the interpreter; a step that fails ends it. Whatever that
// process prints, and however it ends, gives a trial. Throws Error{host_unfit} if the interpreter
// cannot be started, Error{interrupted, terminated}.
BackendTrial try_backend(const Host& host, const BackendRequest& request);

}  // namespace topsctl
