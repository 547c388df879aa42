// What the ranks of a run say, read from the ends of their logs.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "topsctl/engine/launch/card_watch.hpp"
#include "topsctl/engine/launch/launch_record.hpp"

namespace topsctl {

// The last line of a log of topsctl, without its time, and the last iteration near the end of it.
struct LastWords {
  std::string line;       // printable; empty: it has said nothing
  std::string iteration;  // empty: none
};
LastWords last_words_of(const std::string& log);

class RankWords {
 public:
  // Adds what they say to those ranks whose processes are the run's.
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
