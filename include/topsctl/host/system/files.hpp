// Reading and durable writing of files.
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

inline constexpr std::uint64_t most_text = 64ULL << 20U;  // bytes of a text file that is read whole

// Throws Error if the file cannot be read or is larger than `most` bytes.
std::string read_text(const std::filesystem::path& file, std::uint64_t most = most_text);
// Nothing if there is no such file.
std::optional<std::string> read_text_if_present(const std::filesystem::path& file,
                                                std::uint64_t most = most_text);

// A path that is not there, in quotes, and the one that may be meant: "'a/lgo' (did you mean
// 'a/log'?)".
std::string missing_path(const std::filesystem::path& path);

// Replaces or makes a file so that after a power cut either the old or the new one is there:
// temporary file in the same folder, fsync, rename, fsync of the folder. A link in its place is
// replaced, never followed.
void write_durably(const std::filesystem::path& file, std::string_view bytes, mode_t mode);
// Makes a file without waiting for the disk; for what nobody relies on after a power cut. Same care
// with links.
void write_plainly(const std::filesystem::path& file, std::string_view bytes, mode_t mode);

// Makes the folder and its missing parents.
void make_directories(const std::filesystem::path& folder, mode_t mode);
void sync_directory(const std::filesystem::path& folder);
// Whether the path lies on ext4, XFS or btrfs themselves, not on a file system made of others, as
// an overlay is.
bool is_on_plain_disk(const std::filesystem::path& path);
bool is_overlay(const std::filesystem::path& path);
// The files that standard output and standard error of this process go to; none if they go
// elsewhere.
std::vector<std::filesystem::path> output_files();
// syncfs(2) of the file system that holds `path`; throws if the kernel reports a write that failed.
void sync_file_system(const std::filesystem::path& path);

// Everything to a descriptor; throws on a short write.
void write_all(const Descriptor& to, std::string_view bytes, const std::filesystem::path& name);

// Copies a regular file's bytes to a new file that only root may read, and returns their SHA-256.
// The copy shares blocks with the original where the file system can (FICLONE).
std::string copy_with_digest(const std::filesystem::path& from, const std::filesystem::path& to);
// The same between files that are open, the second one empty; the names are what errors show.
std::string copy_with_digest(const Descriptor& from, const std::string& from_name,
                             const Descriptor& to, const std::string& to_name);

// Gives a file the bytes of another one, in its place: it stays the file it is, under all its
// names.
void overwrite(const std::filesystem::path& file, const std::filesystem::path& with);

// Free bytes for an ordinary write on the file system that holds `path`, or its nearest existing
// parent.
std::uint64_t free_bytes(const std::filesystem::path& path);

}  // namespace topsctl
