// One open inode: operations apply to it regardless of changes to its names.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "topsctl/host/filesystem/file_state.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Needs /proc: O_PATH descriptors of open(2) have no calls of their own for modes and extended
// attributes.
class Inode {
 public:
  // Opens `name` in an open directory, or a whole path with AT_FDCWD. Does not follow a link, and
  // opens nothing that would block or have an effect. Nothing if it does not exist. Throws Error.
  // `shown` is the path in errors.
  static std::optional<Inode> at(int folder, const std::string& name, std::string shown);
  // For an open file.
  Inode(Descriptor file, std::string shown);

  const struct stat& status() const { return status_; }  // as of opening
  FileIdentity identity() const;
  // Distinguishes the mount through which it was found; 0: not supported by the kernel (before
  // 5.8).
  std::uint64_t mount() const;
  // Throws Error if it cannot be read.
  FileState state(Content content) const;
  // Only regular files: opening others may block or have an effect. Throws Error.
  Descriptor open_file(int flags) const;
  // Sets owner, mode, extended attributes and modification time; must be of the state's type.
  void apply_attributes(const FileState& state) const;
  // Creates a hard link in an open directory; the name must not exist. Returns errno, 0 on success.
  int link_into(int folder, const std::string& name) const;

 private:
  std::map<std::string, std::string> xattrs() const;

  Descriptor file_;
  std::string shown_;
  std::string by_descriptor_;  // in /proc: following it leads to this inode only
  struct stat status_ {};
};

}  // namespace topsctl
