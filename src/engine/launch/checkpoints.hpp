// The checkpoints that a training has written into a folder: which of them are whole, and which is
// the newest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace topsctl {

// A file *.pt, *.pth or *.ckpt.
struct Checkpoint {
  std::string path;    // below the folder's
  std::string family;  // its name with '#' in the place of what counts and measures
  // What counts in its name: {2, 100} of epoch_2_step_100.pt, else its last number; empty: nothing.
  std::vector<std::uint64_t> numbers;
  std::int64_t mtime_ns = 0;  // since 1970
  std::uint32_t owner = 0;
  bool operator==(const Checkpoint&) const = default;
};

struct CheckpointFolder {
  std::string path;
  // The newest one last: that which MMEngine's `last_checkpoint` names, else the highest number of
  // the family that was written to last. Those named best* are none.
  std::vector<Checkpoint> whole;
  std::vector<std::string> unfinished;  // paths of those that are not whole
  bool operator==(const CheckpointFolder&) const = default;
};

// A checkpoint is whole if it is a zip archive with a directory, as torch.save has written it since
// PyTorch 1.6: the directory comes last. Links are passed over. An empty answer for a folder that
// cannot be read.
CheckpointFolder checkpoints_in(const std::filesystem::path& folder);

// The newest one that was written at or after that time; nothing if there is none.
std::optional<Checkpoint> newest_since(const CheckpointFolder& folder, std::int64_t since_ns);

// Removes those for which `keep` of their family are newer by number and by time, if this user has
// written all of these at or after `since_ns`, and the newer ones before `settled_ns`: what was
// written just now a power cut may take. The newest one stays, and so does what was written
// meanwhile. Returns their paths.
std::vector<std::string> remove_older_checkpoints(const CheckpointFolder& folder, std::size_t keep,
                                                  std::int64_t since_ns, std::int64_t settled_ns);

}  // namespace topsctl
