// From what was seen to what is wrong: what explains what, and which came first. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/diagnosis/log_story.hpp"
#include "topsctl/model/catalogue/diagnosis.hpp"

namespace topsctl {

// Of logs, `healthy` needs a proof: the exit status, or a line that tells that the job ended well.
enum class JobVerdict { healthy, problems, unknown };
std::string_view name(JobVerdict verdict);

// A diagnosis that applies.
struct Judged {
  Finding finding;
  std::optional<int> rank;              // the first it was seen on
  std::optional<std::int64_t> time_ms;  // of the first sighting
  std::string explained_by;             // the id of another that brings it about; empty: none
  bool operator==(const Judged&) const = default;
};

struct RankState {
  int rank = 0;
  std::string source;         // its log; empty: none of its own
  std::optional<int> status;  // exit status, negative: a signal; nothing: not told
  std::string last_words;     // the last line of its traceback; empty: none
  bool operator==(const RankState&) const = default;
};

struct Judgement {
  JobVerdict verdict = JobVerdict::healthy;
  bool has_failed = false;        // the job, as far as its logs tell
  std::vector<Judged> diagnoses;  // the first cause first, effects last
  std::string first_cause;        // empty: none
  std::vector<RankState> ranks;
  std::optional<Traceback> unexplained;  // the first traceback, when nothing explains the failure
  bool operator==(const Judgement&) const = default;
};

// `exit_status` is that of the job, where somebody knows it.
Judgement judge_logs(const DiagnosisCatalogue& catalogue, const LogStory& story,
                     std::optional<int> exit_status, Language language);

}  // namespace topsctl
