// Starts a training, writes its logs and record, and stays until all of it has ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/diagnosis/verdict.hpp"
#include "topsctl/engine/launch/launch_plan.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct RankRecord {
  std::int64_t rank = 0;
  std::string log;
  std::uint64_t lines = 0;
  std::string last_line;  // printable
};

// How many cards computed.
struct BusyCheck {
  std::string at;                         // RFC 3339, UTC
  std::optional<std::size_t> cards_busy;  // nothing: unknown, there is no efsmi that answers
  std::string first_cause;                // of their not being busy; empty: none is known
  bool is_last = false;                   // no further check follows
};

// What became of a launch; as JSON it is the record, launch.json in the log folder.
struct LaunchRecord {
  LaunchPlan plan;
  std::string started_at;       // RFC 3339, UTC
  std::string ended_at;         // empty: it runs, or topsctl was killed
  std::optional<int> status;    // exit status of the engine; 128 and the signal
  std::optional<int> ended_by;  // the signal that topsctl got
  std::vector<RankRecord> ranks;
  std::optional<BusyCheck> busy_check;  // the last one; nothing: it ended before
  std::optional<Judgement> judgement;   // of a launch that failed
  std::string log_problem;              // why logs or record are not whole; empty: they are
};
Json to_json(const LaunchRecord& record);

// Hears what ranks say while they run.
class RankListener {
 public:
  virtual ~RankListener() = default;
  virtual void line(std::int64_t rank, std::string_view text) = 0;
  virtual void launcher_line(std::string_view text) = 0;
  virtual void checked(const BusyCheck& check, std::int64_t ranks) = 0;
};

// Makes the log folder, which may not be there, and runs the plan. SIGINT and SIGTERM end all
// ranks, a second one at once. Whatever happens, no process is left. Throws Error if nothing was
// started: Error{bad_input} for a log folder that is there.
LaunchRecord launch(const Host& host, const LaunchPlan& plan, Language language,
                    RankListener& listener);

// `topsctl rank`: leads the output of this process to the pipe of its rank, and becomes the
// program. Returns never. Throws Error.
[[noreturn]] void become_rank(const std::filesystem::path& log_folder,
                              const std::vector<std::string>& words,
                              const std::map<std::string, std::string>& environment);

}  // namespace topsctl
