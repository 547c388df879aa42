// What a throw-away view of a machine mounts in the place of each of the machine's mounts; pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/target_snapshot.hpp"

namespace topsctl {

struct SandboxMount {
  enum class Kind {
    overlay,    // the machine's files, writes go to a layer of our own
    read_only,  // the machine's files, which nobody may write
    temporary,  // an empty file system in memory
    processes,  // /proc of the view's own processes
    kernel,     // /sys, read-only
    devices,    // /dev with the few that every program may use
  };
  std::string path;  // as the machine sees it
  Kind kind = Kind::overlay;
  bool required = false;  // an overlay that is not may be read-only instead
  bool operator==(const SandboxMount&) const = default;
};

// Sorted: what lies on another mount comes after it. `written`: paths that are expected to be
// written, which must be possible. Nothing is mounted at `hidden` or below it. File systems of
// servers are read-only unless something on them is written.
std::vector<SandboxMount> view_mounts(const std::map<std::string, MountPoint>& mounts,
                                      const std::vector<std::string>& written,
                                      const std::string& hidden);

// The mount point that holds a path: the longest that is above it.
std::string mount_of(const std::map<std::string, MountPoint>& mounts, const std::string& path);

}  // namespace topsctl
