// Paths of a host that other users may change at any time: opened by descriptors, never following
// links.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/filesystem/inode.hpp"

namespace topsctl {

// Name prefix of files that are still incomplete; the next run removes those of a killed run.
inline constexpr std::string_view unfinished_prefix = ".topsctl-restore-";

// A name in a directory that is kept open: replacing a directory above it has no effect.
class DirectoryEntry {
 public:
  DirectoryEntry(Descriptor folder, std::string name, std::string path);

  // Nothing if it does not exist. Throws Error.
  std::optional<Inode> inode() const;
  FileState state(Content content) const;
  // Removes a file or an empty directory; succeeds if it does not exist. Returns errno, 0 on
  // success.
  int remove() const;
  int remove_file() const;
  // The mode is not subject to the umask.
  void make_folder(mode_t mode) const;
  // rename(2) from a path of ours. Returns errno, 0 on success.
  int take(const std::filesystem::path& from) const;
  // Copies a file, including its mode, to a name that must not exist. Throws Error.
  void copy_here(const Inode& file) const;
  // Makes it match `state`, with the content of the file `kept`, by rename(2) from an unpredictable
  // name. Not for directories or absent paths. Throws Error, and leaves the old file then.
  void replace(const FileState& state, const std::filesystem::path& kept) const;
  // Makes it a hard link to a file in the same way.
  void replace_by(const Inode& file) const;

 private:
  void create(const std::string& name, const FileState& state,
              const std::filesystem::path& kept) const;
  void rename_here(const std::string& name) const;

  Descriptor folder_;
  std::string name_;
  std::string path_;  // for errors
};

struct ListedName {
  std::string name;
  bool is_folder = false;
  bool is_mount = false;  // on another file system than the listing directory
};

// Uses openat2(2) if the kernel has it (5.6), else opens one directory at a time; tests can request
// the latter.
enum class PathWalk { at_once, by_folder };

// Thread-safe.
class FileTree {
 public:
  // Throws Error if the root cannot be opened.
  explicit FileTree(const std::filesystem::path& root, PathWalk walk = PathWalk::at_once);

  // `path` on the host, canonical: absolute, without links in its directories. Nothing if one of
  // the directories is missing or not a directory; a link counts as missing. Throws Error.
  std::optional<DirectoryEntry> find(std::string_view path) const;
  // Absent if it is not found.
  FileState state(std::string_view path, Content content, FileIdentity* identity = nullptr) const;
  FileIdentity identity(std::string_view path) const;
  std::optional<Inode> inode(std::string_view path) const;
  // The entries of a directory, unordered; empty if it is not a directory or cannot be read. Throws
  // Error{exhausted}.
  std::vector<ListedName> list(std::string_view folder) const;

 private:
  friend class PathCursor;
  // Opens the directory of the path; an empty descriptor if it does not exist.
  Descriptor folder_of(std::string_view path) const;

  Descriptor root_;
  PathWalk walk_;
};

// Reads paths in sequence and keeps the last directory open: for sorted paths, most need one
// look-up less. For one thread, and only while no directory is moved.
class PathCursor {
 public:
  explicit PathCursor(const FileTree& tree) : tree_(tree) {}

  // Like those of FileTree.
  std::optional<Inode> inode(std::string_view path);
  FileState state(std::string_view path, Content content, FileIdentity* identity = nullptr);

 private:
  const FileTree& tree_;
  std::optional<std::string> path_;  // path of the open directory; nothing at first
  Descriptor folder_;                // not open: there is no directory at that path
};

}  // namespace topsctl
