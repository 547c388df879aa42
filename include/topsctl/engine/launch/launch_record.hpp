// What became of a launch. As JSON it is launch.json in the log folder. Plain values.
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

// One of several hosts that trained together, as the one that started them knows it.
struct HostRecord {
  std::string target;         // as it was named
  std::string name;           // by its own account
  std::string address;        // for the others
  std::string run;            // the name of its part, for `topsctl runs` there
  std::string log_folder;     // there
  std::string logs;           // here; empty: they could not be brought
  std::optional<int> status;  // of its part; nothing: nobody knows
  std::string problem;        // why it was lost or not started; empty: it was not
};

struct RankRecord {
  std::string host;                      // of several, its target; empty: this one
  std::int64_t rank = 0;                 // of this host
  std::optional<std::int64_t> in_world;  // of all hosts; nothing: it has not come so far
  std::string log;
  std::uint64_t lines = 0;
  std::string last_line;            // printable
  std::string iteration;            // that it told last, as it is shown; empty: none
  std::optional<std::int64_t> pid;  // nothing: it has not come so far
  std::vector<std::int64_t> cards;  // at the look at the cards
  std::optional<int> status;        // as Judgement has it; nothing: untold
  std::string backend;              // of its process group, as it said; empty: it did not
  std::optional<double> iterations_per_second;  // since its first iteration
};

// How many cards computed.
struct BusyCheck {
  std::string at;                                           // RFC 3339, UTC
  std::optional<std::size_t> cards_busy;                    // nothing: unknown, no efsmi answers
  std::string first_cause;                                  // of their not being busy; empty: none
  std::map<std::int64_t, std::vector<std::int64_t>> cards;  // of a rank
  bool is_last = false;                                     // no further check follows
};

// One rank while a training stood still.
struct StillRank {
  std::int64_t rank = 0;
  std::string last_line;
  std::int64_t silent_ms = 0;  // since that line
  std::string iteration;
  std::string state;         // of its process: "R", "S", "D", "T", ...; empty: unknown
  std::string kernel_stack;  // /proc/PID/stack, or the place where it waits; empty: not readable
};

// No line, no processor time and no busy card for so long.
struct Standstill {
  std::string at;  // RFC 3339, UTC
  std::int64_t after_ms = 0;
  std::vector<StillRank> ranks;
  std::optional<std::int64_t> behind;  // the rank that the others wait for, where one can tell
};

struct AttemptRecord {
  std::string started_at;                           // RFC 3339, UTC
  std::string ended_at;                             // empty: it runs, or topsctl was killed
  std::optional<int> status;                        // exit status of the group; 128 and the signal
  std::string master_port;                          // where ranks met
  std::string resumed_from;                         // the checkpoint; empty: from the beginning
  std::vector<std::string> unfinished_checkpoints;  // that were passed over
  std::vector<RankRecord> ranks;
  std::optional<BusyCheck> busy_check;  // the last one; nothing: it ended before
  HostLoad host;  // processors in the mean, and the least memory that was available
  Throughput throughput;
  std::vector<Standstill> stalls;
  std::optional<Judgement> judgement;  // of an attempt that failed
  std::string not_restarted;  // why no other one follows; empty: one does, or it ended well
};

struct LaunchRecord {
  std::string run;  // its name
  LaunchRequest request;
  std::string log_folder;                       // absolute
  LaunchPlan plan;                              // of the first attempt
  std::string directory;                        // the working directory
  std::map<std::string, std::string> added;     // variables that topsctl has set or changed
  std::vector<std::string> removed;             // variables that it has taken out
  std::map<std::string, std::string> digests;   // SHA-256 of script and configuration, by path
  std::map<std::string, std::string> versions;  // topsctl, packages and wheels of the stack
  std::int64_t pid = 0;                         // of topsctl
  std::string process_start;                    // of it, as start_of_process() has it
  std::string started_at;                       // RFC 3339, UTC
  std::string ended_at;                         // empty: it runs, or topsctl was killed
  std::optional<int> status;                    // of the last attempt
  std::optional<int> ended_by;                  // the signal that topsctl got
  std::vector<AttemptRecord> attempts;
  std::vector<std::string> removed_checkpoints;
  std::string log_problem;        // why logs or record are not whole; empty: they are
  std::vector<HostRecord> hosts;  // empty: this one alone
};
// Without the values of secrets (secret_marks.hpp).
Json to_json(const LaunchRecord& record);

// What others read of a record that is there: how to find the run, and how far it has come.
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
    std::string host;  // of several, its target; empty: this one
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
  std::size_t hosts = 0;  // that trained together; 0: that one alone
  bool operator==(const RecordSummary&) const = default;
};
// Whether it is one that new_run_name() makes: digits, '-', 'T' and 'Z'.
bool is_run_name(std::string_view name);
// Throws Error{bad_stack} naming `source` and what is wrong.
RecordSummary record_summary_in(std::string_view text, const std::string& source);

}  // namespace topsctl
