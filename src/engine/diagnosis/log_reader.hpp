// Reads logs in sequence, in pieces, into a timeline.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/engine/diagnosis/log_matcher.hpp"
#include "topsctl/engine/diagnosis/log_timeline.hpp"

namespace topsctl {

// Reads one log from its first to its last byte. Memory does not grow with the log's size: a long
// line is judged in pieces of 16 KiB, and at most 64 KiB of a traceback are kept. A carriage return
// ends a text like a line feed does, but does not increase the line number.
class LogReader {
 public:
  // The first three must outlive it. `rank` applies to lines without a label.
  LogReader(const LogMatcher& matcher, LogMatcher::Effort& effort, LogTimeline& story,
            std::string source, std::optional<int> rank, int attempt);
  ~LogReader();

  void take(std::string_view bytes);
  // After the last byte: closes open tracebacks.
  void end();

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
  void take_rest();
  std::string rest_;
};

}  // namespace topsctl
