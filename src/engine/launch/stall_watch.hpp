// Whether a training stands still: no line, no processor time and no busy card for a while.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/launch/watch_run.hpp"
#include "topsctl/engine/launch/launch_record.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/waiting.hpp"

namespace topsctl {

class StallWatch {
 public:
  // `limit_ms`: 0 disables the detection. `launchers`: processes whose processor time does not
  // count.
  StallWatch(const Host& host, const LaunchPlan& plan, Supervisor& supervisor,
             std::int64_t limit_ms, std::vector<pid_t> launchers);

  const WaitLimit& next() const { return next_; }
  int descriptor() const { return watch_.descriptor(); }
  // Call when a rank has written output.
  void heard(std::int64_t rank);
  // Samples if it is time. Returns each standstill once; `ranks` is the present state of its ranks.
  std::optional<Standstill> step(const std::vector<RankRecord>& ranks);

 private:
  void note_life() { life_ = host_.clock->steady(); }
  std::int64_t ms_since(std::chrono::steady_clock::time_point moment) const;
  bool has_used_time();
  Standstill standstill(const std::vector<RankRecord>& ranks) const;

  const Host& host_;
  const std::int64_t limit_ms_;
  const std::vector<pid_t> launchers_;
  WatchRun watch_;
  WaitLimit next_;
  std::chrono::steady_clock::time_point life_;
  std::chrono::steady_clock::time_point looked_;
  std::map<pid_t, std::int64_t> times_;  // at that look, in milliseconds
  std::map<std::int64_t, std::chrono::steady_clock::time_point> spoke_;
  bool is_told_ = false;
};

// The rank with less progress than all others, if there is one. Pure.
std::optional<std::int64_t> rank_behind(const std::vector<StillRank>& ranks);

}  // namespace topsctl
