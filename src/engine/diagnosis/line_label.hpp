// What stands before the words of a log's line: which rank it is of, and when it was written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace topsctl {

struct LineLabel {
  std::optional<int> rank;
  std::size_t size = 0;  // bytes of the label; the words follow
};

// "[rank3]:", "[default3]:" (torchrun), "[1,3]<stderr>:" (mpirun), "3:" (srun --label); also behind
// the time that `topsctl launch` writes before each line.
LineLabel line_label(std::string_view line);

// Milliseconds since 1970 of the first time of day with a date among the first 64 bytes, taken as
// UTC. The year of forms that have none (glog) is 1970.
std::optional<std::int64_t> line_time(std::string_view line);

// The line without colours and cursor movements of a terminal, and of several parts that a carriage
// return would write one over the other only the last: a part of `line`, or of `room`, which is
// written to where something is taken out.
std::string_view plain_line(std::string_view line, std::string& room);

// The rank that a file's path names: ".../attempt_0/3/stderr.log", "rank_3.log", "log.rank3",
// "worker-3.out".
std::optional<int> rank_of_path(const std::filesystem::path& path);
// The number of a torchrun attempt that a path names, "attempt_1"; 0 if none.
int attempt_of_path(const std::filesystem::path& path);

}  // namespace topsctl
