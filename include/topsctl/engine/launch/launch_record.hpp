// The result of a launch, stored as launch.json in the log directory. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/engine/launch/launch_plan.hpp"
#include "topsctl/engine/launch/launch_request.hpp"
#include "topsctl/engine/launch/throughput.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

inline constexpr const char* record_name = "launch.json";

// One of several hosts of a training, as recorded by the host that started it.
struct HostRecord {
  std::string target;         // as given
  std::string name;           // the host's own name
  std::string address;        // for the other hosts
  std::string run;            // name of its part, for `topsctl runs` on that host
  std::string log_folder;     // remote
  std::string logs;           // local; empty: the logs could not be fetched
  std::optional<int> status;  // of its part; nothing: unknown
  std::string problem;        // why it was lost or not started; empty: no problem
};

struct RankRecord {
  std::string host;                      // with several hosts, its target; empty: this one
  std::int64_t rank = 0;                 // on this host
  std::optional<std::int64_t> in_world;  // across all hosts; nothing: not reached yet
  std::string log;
  std::uint64_t lines = 0;
  std::string last_line;            // printable
  std::string iteration;            // the last one reported, as displayed; empty: none
  std::optional<std::int64_t> pid;  // nothing: not reached yet
  std::vector<std::int64_t> cards;  // at the time of the card check
  std::optional<int> status;        // as in Judgement; nothing: unknown
  std::string backend;              // of its process group, as reported; empty: not reported
  std::optional<double> iterations_per_second;  // since its first iteration
};

// The number of busy cards.
struct BusyCheck {
  std::string at;                                           // RFC 3339, UTC
  std::optional<std::size_t> cards_busy;                    // nothing: unknown, efsmi does not
                                                            // answer
  std::string first_cause;                                  // why they are not busy; empty: none
  std::map<std::int64_t, std::vector<std::int64_t>> cards;  // by rank
  bool is_last = false;                                     // no further check follows
};

// One rank during a standstill.
struct StillRank {
  std::int64_t rank = 0;
  std::string last_line;
  std::int64_t silent_ms = 0;  // since that line
  std::string iteration;
  std::string state;         // of its process: "R", "S", "D", "T", ...; empty: unknown
  std::string kernel_stack;  // /proc/PID/stack, or the function in which it waits; empty: not
                             // readable
};

// A period without output, processor time and busy cards.
struct Standstill {
  std::string at;  // RFC 3339, UTC
  std::int64_t after_ms = 0;
  std::vector<StillRank> ranks;
  std::optional<std::int64_t> behind;  // the rank that the others wait for, if known
};

struct AttemptRecord {
  std::string started_at;                           // RFC 3339, UTC
  std::string ended_at;                             // empty: it runs, or topsctl was killed
  std::optional<int> status;                        // exit status of the group, or 128 plus the
                                                    // signal
  std::string master_port;                          // of the ranks' rendezvous
  std::string resumed_from;                         // the checkpoint; empty: from the start
  std::vector<std::string> unfinished_checkpoints;  // incomplete checkpoints that were skipped
  std::vector<RankRecord> ranks;
  std::optional<BusyCheck> busy_check;  // the last one; nothing: it ended earlier
  HostLoad host;                        // mean processor load, and minimum available memory
  Throughput throughput;
  std::optional<double> bandwidth_gbps;  // that its ports sent, by VCCL's telemetry
  std::vector<Standstill> stalls;
  std::optional<Judgement> judgement;  // of a failed attempt
  std::string not_restarted;  // why no other attempt follows; empty: one follows, or it succeeded
};

struct LaunchRecord {
  std::string run;  // its name
  LaunchRequest request;
  std::string log_folder;                       // absolute
  LaunchPlan plan;                              // of the first attempt
  std::string directory;                        // the working directory
  std::map<std::string, std::string> added;     // variables that topsctl set or changed
  std::vector<std::string> removed;             // variables that topsctl removed
  std::map<std::string, std::string> digests;   // SHA-256 of script and configuration, by path
  std::map<std::string, std::string> versions;  // topsctl, packages and wheels of the stack
  std::int64_t pid = 0;                         // of topsctl
  std::string process_start;                    // as start_of_process() returns it
  std::string started_at;                       // RFC 3339, UTC
  std::string ended_at;                         // empty: it runs, or topsctl was killed
  std::optional<int> status;                    // of the last attempt
  std::optional<int> ended_by;                  // the signal that topsctl received
  std::vector<AttemptRecord> attempts;
  std::vector<std::string> removed_checkpoints;
  std::string log_problem;        // why logs or record are incomplete; empty: they are complete
  std::vector<HostRecord> hosts;  // empty: only this host
};
// Without the values of secrets (secret_marks.hpp).
Json to_json(const LaunchRecord& record);

// The part of a record that other commands read: how to find the run, and its progress.
struct RecordSummary {
  std::string run;
  LaunchRequest request;
  std::string log_folder;
  std::string directory;
  std::map<std::string, std::string> digests;
  std::int64_t pid = 0;
  std::string process_start;
  std::string started_at;
  std::string ended_at;
  std::optional<int> status;
  std::optional<int> ended_by;
  std::string first_cause;  // of the last attempt
  struct Rank {
    std::string host;  // with several hosts, its target; empty: this one
    std::int64_t rank = 0;
    std::optional<std::int64_t> in_world;
    std::string log;
    std::uint64_t lines = 0;
    std::optional<std::int64_t> pid;
    std::string last_line;
    std::string iteration;
    bool operator==(const Rank&) const = default;
  };
  std::vector<Rank> ranks;                   // of the last attempt
  std::optional<std::int64_t> global_batch;  // the same
  std::size_t attempts = 0;
  std::size_t hosts = 0;  // that trained together; 0: only this one
  bool operator==(const RecordSummary&) const = default;
};
// Whether new_run_name() could have made it: digits, '-', 'T' and 'Z'.
bool is_run_name(std::string_view name);
// Throws Error{bad_stack} with `source` and the reason.
RecordSummary record_summary_in(std::string_view text, const std::string& source);

}  // namespace topsctl
