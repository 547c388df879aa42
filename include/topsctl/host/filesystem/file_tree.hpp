// Paths of a machine that other users may change meanwhile: walked by descriptors, no link
// followed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/filesystem/inode.hpp"

namespace topsctl {

// How the names of files begin that are not whole yet; what a run that was killed leaves of them is
// removed by the next one.
inline constexpr std::string_view unfinished_prefix = ".topsctl-restore-";

// A name in a folder that is held open: who puts something else in the place of a folder above
// changes nothing here.
class DirectoryEntry {
 public:
  DirectoryEntry(Descriptor folder, std::string name, std::string path);

  // Nothing where nothing is. Throws Error.
  std::optional<Inode> inode() const;
  FileState state(Content content) const;
  // Removes a file or an empty folder; nothing to do where nothing is. Returns errno, 0 if done.
  int remove() const;
  int remove_file() const;
  // The mode is not subject to the umask.
  void make_folder(mode_t mode) const;
  // rename(2) of a path of ours. Returns errno, 0 if done.
  int take(const std::filesystem::path& from) const;
  // A copy of a file, mode included, where nothing is yet. Throws Error.
  void copy_here(const Inode& file) const;
  // Makes it what `state` says, content from the file `kept`, by rename(2) from a name that nobody
  // can foresee. Not for folders or absent paths. Throws Error, and leaves what was there.
  void replace(const FileState& state, const std::filesystem::path& kept) const;
  // Makes it a further name of a file in the same way.
  void replace_by(const Inode& file) const;

 private:
  void create(const std::string& name, const FileState& state,
              const std::filesystem::path& kept) const;
  void rename_here(const std::string& name) const;

  Descriptor folder_;
  std::string name_;
  std::string path_;  // that errors show
};

struct ListedName {
  std::string name;
  bool is_folder = false;
  bool is_mount = false;  // of another file system than the folder that lists it
};

// By openat2(2) where the kernel has it (5.6), else a folder at a time; a test asks for the latter.
enum class PathWalk { at_once, by_folder };

// May be used by several threads at once.
class FileTree {
 public:
  // Throws Error if the root cannot be opened.
  explicit FileTree(const std::filesystem::path& root, PathWalk walk = PathWalk::at_once);

  // `path` as the machine sees it, canonical: absolute, without links in its folders. Nothing where
  // one of the folders is missing, or is none: a link is none. Throws Error.
  std::optional<DirectoryEntry> find(std::string_view path) const;
  // Absent if it is not found.
  FileState state(std::string_view path, Content content, FileIdentity* identity = nullptr) const;
  FileIdentity identity(std::string_view path) const;
  std::optional<Inode> inode(std::string_view path) const;
  // What is in a folder, in no order; nothing where it is none or cannot be read. Throws
  // Error{exhausted}.
  std::vector<ListedName> list(std::string_view folder) const;

 private:
  friend class PathCursor;
  // The open folder that the path lies in, none if there is none.
  Descriptor folder_of(std::string_view path) const;

  Descriptor root_;
  PathWalk walk_;
};

// Looks at one path after another. The folder of the last one stays open for the next: of sorted
// paths most cost one look-up less. For one thread, and for as long as nobody moves folders.
class PathCursor {
 public:
  explicit PathCursor(const FileTree& tree) : tree_(tree) {}

  // As those of FileTree.
  std::optional<Inode> inode(std::string_view path);
  FileState state(std::string_view path, Content content, FileIdentity* identity = nullptr);

 private:
  const FileTree& tree_;
  std::optional<std::string> path_;  // of the folder, once there is one
  Descriptor folder_;                // not open: there is none at that path
};

}  // namespace topsctl
