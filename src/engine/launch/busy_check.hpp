// Checks whether the cards of a training are busy, several times after its start.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/launch/watch_run.hpp"
#include "topsctl/engine/launch/launch_record.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

// From a report of `topsctl watch`; `at` stays empty. Missing or invalid values are unknown. Counts
// the cards that these processes have open; if they have none open, all cards.
BusyCheck busy_check_in(const Json& report, const std::vector<pid_t>& processes);

class BusyChecker {
 public:
  BusyChecker(const Host& host, const LaunchPlan& plan, Supervisor& supervisor);

  // When to call step() at the latest.
  const WaitLimit& next() const { return next_; }
  int descriptor() const { return watch_.descriptor(); }
  // Starts a check that is due, or reads its output. Returns a new result, if there is one.
  std::optional<BusyCheck> step();

 private:
  const Host& host_;
  const std::int64_t ranks_;
  WatchRun watch_;
  std::size_t number_ = 0;  // of the next check
  WaitLimit next_;
};

}  // namespace topsctl
