// One start of a training: its ranks, their logs, and their observed state until all have ended.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/launch/busy_check.hpp"
#include "engine/launch/stall_watch.hpp"
#include "topsctl/engine/launch/flow_telemetry.hpp"
#include "topsctl/engine/launch/launcher.hpp"
#include "topsctl/engine/launch/rank_log.hpp"
#include "topsctl/host/system/supervisor.hpp"

namespace topsctl {

struct AttemptRules {
  std::int64_t stall_ms = 0;  // 0: no detection
  OnStall on_stall = OnStall::report;
  std::function<void(const AttemptRecord&)> changed;  // the record has news that must last
  std::function<void()> tick;                         // each few seconds
};

// One at a time, as Supervisor.
class Attempt {
 public:
  // Creates the plan's log directory with the pipes and logs of ranks. Throws Error.
  Attempt(const Host& host, LaunchPlan plan, AttemptRules rules, RankListener& listener);
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Until all has ended; no process is left. The record has no judgement. Throws Error if nothing
  // could be started.
  AttemptRecord run();

  // The state so far.
  const AttemptRecord& record() const { return record_; }
  // The signal that ended it; nothing: none.
  std::optional<int> ended_by() const { return ended_by_; }
  bool was_ended_for_stall() const { return is_ended_for_stall_; }
  // Why its logs are incomplete; empty: they are complete.
  const std::string& log_problem() const { return log_problem_; }

 private:
  // One output stream that is written to a file.
  struct Stream {
    std::int64_t rank;  // -1: the engine
    Descriptor input;
    RankLog log;
  };

  void start();
  void wait() const;
  void take(Stream& stream, int most_pieces);
  void finish(Stream& stream);
  template <class Work>
  void with_logs(const Work& work);
  std::function<void(std::string_view)> hears(const Stream& stream);
  void take_pids();
  void note_lack_of_memory();
  void look_for_signals();
  void end_all(int number);
  void end_stragglers();
  bool is_watched() const { return !is_ended_ && !is_stopping_; }
  void check_cards();
  void look_for_stall();
  void tick();
  void note_failure_told(std::string_view line);
  void end_waiting_engine();
  void note_first_failure();
  void note_iteration(RankRecord& rank, const std::string& iteration);
  void measure();
  void note_failed_rank(std::size_t which, pid_t pid, int status);
  bool has_group_ended() const;
  int status_of_group() const;

  const Host& host_;
  const LaunchPlan plan_;
  const AttemptRules rules_;
  RankListener& listener_;
  AttemptRecord record_;
  std::vector<Stream> streams_;
  Descriptor pids_;  // ranks report theirs
  std::string pids_text_;
  std::optional<Supervisor> supervisor_;
  std::optional<BusyChecker> busy_checker_;  // uses it
  std::optional<StallWatch> stall_watch_;    // the same
  std::vector<pid_t> programs_;
  std::uint64_t oom_kills_before_ = 0;  // of the control group
  int first_failure_ = 0;
  std::int64_t failures_told_ = 0;  // reported by torchrun: its own attempts
  WaitLimit wait_for_others_;       // after its last report
  WaitLimit limit_;                 // until SIGKILL
  WaitLimit patience_;              // once the group has ended
  WaitLimit tick_;
  std::optional<int> ended_by_;
  std::string log_problem_;
  bool is_stopping_ = false;
  bool is_ended_ = false;
  bool is_ended_for_stall_ = false;

  struct FirstIteration {
    std::vector<std::uint64_t> numbers;
    std::chrono::steady_clock::time_point at;
  };
  std::map<std::int64_t, FirstIteration> first_iterations_;  // of ranks
  std::optional<HostLoadMeter> load_;
  std::optional<FlowMeter> flow_;
};

}  // namespace topsctl
