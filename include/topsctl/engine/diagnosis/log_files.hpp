// Logs of a job: which files they are, and their story, read by a process without rights.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/engine/diagnosis/log_matcher.hpp"
#include "topsctl/engine/diagnosis/log_story.hpp"
#include "topsctl/engine/inspection/confined_reading.hpp"

namespace topsctl {

struct JobLog {
  std::filesystem::path file;
  std::string shown;        // its path as it was given
  std::optional<int> rank;  // that its path names
  int attempt = 0;
  std::filesystem::path found_below = {};  // the directory that was given; empty: the file was
};

// "-" is standard input. Files as they are given, and of directories the files below them that can
// be logs, in the order of their names; links are not followed. Throws Error{bad_input} for a path
// that is not there, and if nothing is left.
std::vector<JobLog> find_log_files(const std::vector<std::string>& paths);

// Reads them one after the other: compressed ones, tar archives of logs, torchrun's error.json,
// text of any encoding. What cannot be read to its end has a problem in the story's sources; a file
// that is no text is one of them. Throws Error{bad_input} when all are empty.
LogStory read_logs(const LogMatcher& matcher, const std::vector<JobLog>& files,
                   const SandboxWish& wish);

}  // namespace topsctl
