// The parts of a log line around its text: the rank, the time, its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace topsctl {

struct LineLabel {
  std::optional<int> rank;
  std::string_view host;  // or pod, container, worker of Ray; empty: none
  std::size_t size = 0;   // bytes of the label; the words follow
};

// Names of hosts that pdsh, Docker Compose and the like write before each line, with a number for
// each.
using HostNames = std::map<std::string, int, std::less<>>;

// All prefixes of the text, one after another: a time (`topsctl launch`, kubectl --timestamps,
// Loki), the stream of a container's log, "[pod/NAME/CONTAINER]", "(Worker pid=7)", "HOST:" of
// pdsh, "[rank3]:", "[default3]:" (torchrun), "[1,3]<stderr>:" (mpirun), "3:" (srun --label). A
// host that is not in `hosts` is recognized only if the following text is unambiguous.
LineLabel line_label(std::string_view line, const HostNames& hosts = {});

// Returns the text of a line that Docker's json-file driver wrote, stored in `room`; else `line`.
std::string_view unwrapped_line(std::string_view line, std::string& room);

// Milliseconds since 1970 of the first time of day with a date among the first 64 bytes, in UTC if
// it has no zone. The year is 1970 for forms without one (glog, syslog).
std::optional<std::int64_t> line_time(std::string_view line);

// The time of a line, or of the last previous line that has one. Reads each line once.
class LineClock {
 public:
  // Call before each line: its position in the log, and the previously read part of the current
  // text.
  void begin(std::uint64_t position, std::string_view before);
  // Keeps the current text for the times of later lines.
  void keep(std::string_view text);
  std::optional<std::int64_t> time_of(std::string_view line);

 private:
  bool look_for_time(std::string_view rest, std::uint64_t position);

  std::uint64_t position_ = 0;
  std::uint64_t searched_to_ = 0;  // the position up to which times were looked for
  std::optional<std::pair<std::uint64_t, std::int64_t>> timed_;  // the last line with a time
  std::string_view before_;                                      // at most 4096 bytes
  std::string tail_;                                             // the same of earlier texts
};

// Each of them ends a text.
inline constexpr std::string_view line_ends = "\r\n";
// The position of the first line end at or after `at`, or the size.
std::size_t line_end(std::string_view text, std::size_t at);
// The beginning of the line at this position; at least `least`.
std::size_t line_begin(std::string_view text, std::size_t position, std::size_t least);
// The position after the line end at `end`: carriage returns followed by a line feed are one.
std::size_t behind_line_end(std::string_view text, std::size_t end);
// Up to the last complete line end: a line feed may follow a carriage return.
std::size_t size_of_whole_lines(std::string_view text);

// The line without terminal colours and cursor movements: `line`, or `room`, which is only written
// to if something is removed.
std::string_view plain_line(std::string_view line, std::string& room);

// The rank that a file's path names: ".../attempt_0/3/stderr.log", "rank_3.log", "log.rank3",
// "worker-3.out".
std::optional<int> rank_of_path(const std::filesystem::path& path);
// The torchrun attempt number in a path, "attempt_1"; 0 if there is no number.
int attempt_of_path(const std::filesystem::path& path);

}  // namespace topsctl
