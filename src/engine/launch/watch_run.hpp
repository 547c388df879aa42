// Runs `topsctl watch` as a separate process of a launch, so that slow checks do not delay the
// logs.
#pragma once

#include <optional>
#include <string>

#include "topsctl/engine/launch/launch_plan.hpp"
#include "topsctl/host/system/supervisor.hpp"
#include "topsctl/host/system/waiting.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

class WatchRun {
 public:
  WatchRun(const LaunchPlan& plan, Supervisor& supervisor) : plan_(plan), supervisor_(supervisor) {}

  bool is_running() const { return output_.is_open(); }
  // -1: nothing to read.
  int descriptor() const { return output_.is_open() ? output_.get() : -1; }
  void start();  // throws Error
  // Its report after it has ended, null if that is invalid or takes too long; nothing while it
  // runs.
  std::optional<Json> step();

 private:
  const LaunchPlan& plan_;
  Supervisor& supervisor_;
  Descriptor output_;
  WaitLimit limit_;
  std::string report_;
};

}  // namespace topsctl
