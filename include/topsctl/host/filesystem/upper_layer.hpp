// What was written to the upper layer of an overlay.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace topsctl {

// One path that is not as the lower layer has it.
struct LayerChange {
  enum class Kind { made, changed, removed };
  std::string path;  // below the top of the layers: "/etc/foo"
  Kind kind = Kind::made;
  std::uint64_t bytes_before = 0;  // in blocks; folders count nothing
  std::uint64_t bytes_after = 0;
  bool operator==(const LayerChange&) const = default;
};

// Sorted by path. What an overlay notes as removed is told of with all that was below it. Folders
// that are in the upper layer only because something below them is, are left out. Files of which
// only a copy was made there count as changed. Throws Error if a layer cannot be read.
std::vector<LayerChange> read_upper_layer(const std::filesystem::path& upper,
                                          const std::filesystem::path& lower);

}  // namespace topsctl
