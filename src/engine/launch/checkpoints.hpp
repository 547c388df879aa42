// The checkpoints in a training's directory: which ones are complete, and which is the newest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace topsctl {

// A file *.pt, *.pth or *.ckpt.
struct Checkpoint {
  std::string path;    // relative to the directory
  std::string family;  // its name with '#' in place of numbers
  // Counters in its name: {2, 100} for epoch_2_step_100.pt, else its last number; empty: none.
  std::vector<std::uint64_t> numbers;
  std::int64_t mtime_ns = 0;  // since 1970
  std::uint32_t owner = 0;
  bool operator==(const Checkpoint&) const = default;
};

struct CheckpointFolder {
  std::string path;
  // The newest one last: the one in MMEngine's `last_checkpoint`, else the highest number of the
  // family with the latest write. Without those named best*.
  std::vector<Checkpoint> whole;
  std::vector<std::string> unfinished;  // paths of incomplete ones
  bool operator==(const CheckpointFolder&) const = default;
};

// A checkpoint is complete if it is a zip archive with a directory, which torch.save writes last
// (since PyTorch 1.6). Skips links. Empty for a directory that cannot be read.
CheckpointFolder checkpoints_in(const std::filesystem::path& folder);

// The newest one that was written at or after that time; nothing if none was.
std::optional<Checkpoint> newest_since(const CheckpointFolder& folder, std::int64_t since_ns);

// Removes checkpoints with at least `keep` newer ones of their family, by number and by time, if
// this user wrote all of them at or after `since_ns`, and the newer ones before `settled_ns`: a
// power cut may destroy the most recent writes. Keeps the newest one, and those written during the
// call. Returns the removed paths.
std::vector<std::string> remove_older_checkpoints(const CheckpointFolder& folder, std::size_t keep,
                                                  std::int64_t since_ns, std::int64_t settled_ns);

}  // namespace topsctl
