// The last output of a run's ranks, read from the ends of their logs.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topsctl/engine/launch/card_watch.hpp"
#include "topsctl/engine/launch/launch_record.hpp"

namespace topsctl {

// The last line of a topsctl log, without its time, and the last iteration near its end.
struct LastWords {
  std::string line;       // printable; empty: no output yet
  std::string iteration;  // empty: none
};
LastWords last_words_of(const std::string& log);

class RankWords {
 public:
  // Adds the output to those ranks whose processes belong to the run.
  void add_to(CardWatch& watch, const std::vector<RecordSummary::Rank>& ranks,
              std::chrono::steady_clock::time_point now);

 private:
  struct Pace {
    std::vector<std::uint64_t> numbers;
    std::chrono::steady_clock::time_point seen;
    std::optional<double> per_second;
  };
  std::map<std::int64_t, Pace> paces_;
};

}  // namespace topsctl
