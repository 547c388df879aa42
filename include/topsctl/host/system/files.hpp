// Reads files, and writes them durably.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

inline constexpr std::uint64_t most_text = 64ULL << 20U;  // maximum bytes of a text file that is
                                                          // read whole

// Throws Error if the file cannot be read or is larger than `most` bytes.
std::string read_text(const std::filesystem::path& file, std::uint64_t most = most_text);
// Nothing if the file does not exist.
std::optional<std::string> read_text_if_present(const std::filesystem::path& file,
                                                std::uint64_t most = most_text);

// A missing path in quotes, with a suggestion if there is one: "'a/lgo' (did you mean 'a/log'?)".
std::string missing_path(const std::filesystem::path& path);

// Replaces or creates a file so that after a power cut either the old or the new one exists:
// temporary file in the same directory, fsync, rename, fsync of the directory. Replaces a link,
// never follows it.
void write_durably(const std::filesystem::path& file, std::string_view bytes, mode_t mode);
// Creates a file without waiting for the disk, for content that may be lost in a power cut. Handles
// links in the same way.
void write_plainly(const std::filesystem::path& file, std::string_view bytes, mode_t mode);

// Creates the directory and its missing parents.
void make_directories(const std::filesystem::path& folder, mode_t mode);
void sync_directory(const std::filesystem::path& folder);
// Whether the path lies directly on ext4, XFS or btrfs, not on a stacked file system such as an
// overlay.
bool is_on_plain_disk(const std::filesystem::path& path);
bool is_overlay(const std::filesystem::path& path);
// The regular files that are standard output and standard error of this process.
std::vector<std::filesystem::path> output_files();
// syncfs(2) of the file system of `path`; throws if the kernel reports a failed write.
void sync_file_system(const std::filesystem::path& path);

// A new private directory in that of temporary files (TMPDIR), which goes with the object.
class ScratchFolder {
 public:
  // `purpose`: a word for its name. Throws Error if it cannot be made.
  explicit ScratchFolder(std::string_view purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Writes all bytes to a descriptor; throws on a short write.
void write_all(const Descriptor& to, std::string_view bytes, const std::filesystem::path& name);

// Copies a regular file to a new file that only root may read, and returns its SHA-256. Shares
// blocks with the original where the file system supports it (FICLONE).
std::string copy_with_digest(const std::filesystem::path& from, const std::filesystem::path& to);
// The same between open files, the second one empty; the names are for errors.
std::string copy_with_digest(const Descriptor& from, const std::string& from_name,
                             const Descriptor& to, const std::string& to_name);

// Overwrites the bytes of a file in place: inode and hard links stay.
void overwrite(const std::filesystem::path& file, const std::filesystem::path& with);

// Free bytes for an unprivileged write on the file system of `path`, or of its nearest existing
// parent.
std::uint64_t free_bytes(const std::filesystem::path& path);

}  // namespace topsctl
