// Changes during a transaction outside its write set: a rollback does not undo them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

struct UnexpectedChanges {
  std::vector<std::string> paths;  // sorted; at most `most_escaped`
  std::uint64_t count = 0;         // of all such paths
  bool is_complete = true;         // false: the file systems are too large to be scanned completely
};
inline constexpr std::size_t most_escaped = 1000;

// Scans the file systems that hold the snapshot's paths for changes since then, by
// change_time_ns(). Skips folders_not_looked_at, paths below `new_paths`, and paths below those
// that the snapshot knows to be absent: the caller has just found the new ones. `lost`: paths that
// complete_snapshot missed. `is_expected` selects paths to ignore. The scan cannot determine which
// program changed a path.
UnexpectedChanges unexpected_changes(
    const Host& host, const Snapshot& snapshot, const std::vector<std::string>& new_paths,
    std::int64_t since_ns, const std::vector<std::string>& lost = {},
    const std::function<bool(const std::string& path)>& is_expected = {});

// A warning about them; empty if there are none.
enum class ChangedBy { anybody, others };
std::string warning_of(const UnexpectedChanges& escaped, ChangedBy by = ChangedBy::anybody);

}  // namespace topsctl
