// Reads one log after the other, in pieces, into a story.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topsctl/engine/diagnosis/log_matcher.hpp"
#include "topsctl/engine/diagnosis/log_story.hpp"

namespace topsctl {

// One log, from its first to its last byte. Memory does not grow with the log's size: of a line,
// the first 16 KiB are judged, of a traceback at most 64 KiB are kept.
class LogReader {
 public:
  // Both must outlive it. `rank` is that of lines without a label.
  LogReader(const LogMatcher& matcher, LogStory& story, std::string source, std::optional<int> rank,
            int attempt);
  ~LogReader();

  void take(std::string_view bytes);
  // After the last byte: what was open is closed.
  void end();

 private:
  class Lines;
  std::unique_ptr<Lines> lines_;
  std::string rest_;
  bool is_within_long_line_ = false;
};

}  // namespace topsctl
