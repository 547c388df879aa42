// What was changed during a transaction and is not in its write set: a restore does not undo it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/snapshot.hpp"

namespace topsctl {

struct UnexpectedChanges {
  std::vector<std::string> paths;  // sorted; at most `most_escaped`
  std::uint64_t count = 0;         // of all there are
  bool is_complete = true;         // false: the file systems hold too much to look at all of it
};
inline constexpr std::size_t most_escaped = 1000;

// Looks through the file systems that hold the snapshot's paths for what changed since then (as
// change_time_ns() tells time), but for folders_not_looked_at, what lies below `new_paths`, and
// below paths that the snapshot knows to be absent: the caller has just found what is new there.
// `lost`: what complete_snapshot missed. `is_expected` tells of paths that count for nothing.
// Nothing here tells who changed a path.
UnexpectedChanges unexpected_changes(
    const Host& host, const Snapshot& snapshot, const std::vector<std::string>& new_paths,
    std::int64_t since_ns, const std::vector<std::string>& lost = {},
    const std::function<bool(const std::string& path)>& is_expected = {});

// A sentence on them; empty if there is nothing to say.
enum class ChangedBy { anybody, others };
std::string warning_of(const UnexpectedChanges& escaped, ChangedBy by = ChangedBy::anybody);

}  // namespace topsctl
