// The timeline of a job from its logs: sightings of diagnoses, tracebacks, deaths of ranks. Plain
// values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "topsctl/model/finding.hpp"

namespace topsctl {

// Where and when a log reported something.
struct LogPlace {
  std::string source;  // the file, as given
  int line = 0;
  std::optional<int> rank;
  std::optional<std::int64_t> time_ms;  // since 1970
  int attempt = 0;                      // of the job: torchrun restarts its ranks
  std::size_t order = 0;                // in which it was read
  bool is_overcome = false;             // the rank continued to work afterwards, or Python ignored
                                        // it
  bool operator==(const LogPlace&) const = default;
};
inline auto members_of(LogPlace& value) {
  auto& [source, line, rank, time_ms, attempt, order, is_overcome] = value;
  return std::tie(source, line, rank, time_ms, attempt, order, is_overcome);
}

struct Sighting {
  std::string id;  // of the diagnosis
  LogPlace place;
  std::string text;  // the line, or the last line of a traceback
  bool operator==(const Sighting&) const = default;
};
inline auto members_of(Sighting& value) {
  auto& [id, place, text] = value;
  return std::tie(id, place, text);
}

struct Traceback {
  LogPlace place;             // of its last line
  std::string text;           // all lines, or the first and last lines of a long one
  bool is_explained = false;  // a diagnosis matched it, or it is the launcher's own
  bool operator==(const Traceback&) const = default;
};
inline auto members_of(Traceback& value) {
  auto& [place, text, is_explained] = value;
  return std::tie(place, text, is_explained);
}

// A rank that ended with a nonzero status.
struct RankDeath {
  LogPlace place;
  int status = 0;                  // exit status; negative: the signal
  bool is_first_observed = false;  // according to torchrun
  bool operator==(const RankDeath&) const = default;
};
inline auto members_of(RankDeath& value) {
  auto& [place, status, is_first_observed] = value;
  return std::tie(place, status, is_first_observed);
}

struct LogSource {
  std::string path;
  std::uint64_t bytes = 0;  // after decompression
  std::optional<int> rank;
  std::string problem;  // why it was not read completely; empty: it was
  bool operator==(const LogSource&) const = default;
};
inline auto members_of(LogSource& value) {
  auto& [path, bytes, rank, problem] = value;
  return std::tie(path, bytes, rank, problem);
}

struct LogTimeline {
  std::vector<LogSource> sources;
  std::vector<Sighting> sightings;    // at most 20 of each diagnosis, rank and file
  std::vector<Traceback> tracebacks;  // the first 100
  std::vector<RankDeath> deaths;
  std::vector<LogPlace> failures;   // lines that report the job's failure
  std::optional<LogPlace> success;  // the last line that reports a successful end
  int attempts = 0;                 // the highest attempt number
  bool operator==(const LogTimeline&) const = default;
};
inline auto members_of(LogTimeline& value) {
  auto& [sources, sightings, tracebacks, deaths, failures, success, attempts] = value;
  return std::tie(sources, sightings, tracebacks, deaths, failures, success, attempts);
}

}  // namespace topsctl
