// Finds the logs of a job, and reads them in a process without privileges.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/diagnosis/log_matcher.hpp"
#include "topsctl/engine/diagnosis/log_timeline.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"

namespace topsctl {

struct JobLog {
  std::filesystem::path file;
  std::string shown;        // its path as given
  std::optional<int> rank;  // from its path
  int attempt = 0;
  std::filesystem::path found_below = {};  // the given directory; empty: the file itself was given
};

// "-" is standard input. Returns given files, and the possible logs below given directories, sorted
// by name; does not follow links. Throws Error{bad_input} for a missing path, and if no file is
// left.
std::vector<JobLog> find_log_files(const std::vector<std::string>& paths);

// Reads the logs in order: compressed ones, tar archives of logs, torchrun's error.json, text of
// any encoding. A log that cannot be read completely, or is not text, has a problem in the
// timeline's sources. Throws Error{bad_input} if all are empty.
LogTimeline read_logs(const LogMatcher& matcher, const std::vector<JobLog>& files,
                      const SandboxWish& wish);

}  // namespace topsctl
