// From observations to a verdict: causes, effects, and the first cause. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/diagnosis/log_timeline.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

// For logs, `healthy` needs evidence: the exit status, or a line that reports a successful end.
enum class JobVerdict { healthy, problems, unknown };
std::string_view name(JobVerdict verdict);

// A diagnosis that applies.
struct Judged {
  Finding finding;
  std::optional<int> rank;              // of the first sighting
  std::optional<std::int64_t> time_ms;  // of the first sighting
  std::string explained_by;             // id of the diagnosis that causes this one; empty: none
  bool operator==(const Judged&) const = default;
};

struct RankState {
  int rank = 0;
  std::string source;         // its log; empty: it has none of its own
  std::optional<int> status;  // exit status, negative: a signal; nothing: unknown
  std::string last_words;     // the last line of its traceback; empty: none
  bool operator==(const RankState&) const = default;
};

struct Judgement {
  JobVerdict verdict = JobVerdict::healthy;
  bool has_failed = false;        // whether the job failed, by its logs
  std::vector<Judged> diagnoses;  // the first cause first, effects last
  std::string first_cause;        // empty: none
  std::vector<RankState> ranks;
  std::optional<Traceback> unexplained;  // the first traceback, if no diagnosis explains the
                                         // failure
  bool operator==(const Judgement&) const = default;
};

// `exit_status` is the job's, if known.
Judgement judge_logs(const DiagnosisCatalogue& catalogue, const LogTimeline& story,
                     std::optional<int> exit_status, Language language);

}  // namespace topsctl
