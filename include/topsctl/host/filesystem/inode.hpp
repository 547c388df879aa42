// One inode, held open: whatever becomes of its names, it is asked and changed itself.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

#include "topsctl/host/filesystem/file_state.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

// Needs /proc: the descriptors of open(2) with O_PATH have no calls of their own for modes and
// extended attributes.
class Inode {
 public:
  // What `name` stands for in an open folder, or a whole path with AT_FDCWD. A link is itself, and
  // nothing is opened that would wait or act. Nothing where nothing is. Throws Error. `shown` is
  // the path that errors name.
  static std::optional<Inode> at(int folder, const std::string& name, std::string shown);
  // Of a file that is open.
  Inode(Descriptor file, std::string shown);

  const struct stat& status() const { return status_; }  // as of the first look
  FileIdentity identity() const;
  // What tells the mount that it was found by from others; 0: the kernel does not (before 5.8).
  std::uint64_t mount() const;
  // Throws Error if it cannot be read.
  FileState state(Content content) const;
  // Only regular files: others may wait, or act, when they are opened. Throws Error.
  Descriptor open_file(int flags) const;
  // Owner, mode, extended attributes and modification time; must be of the state's type.
  void apply_attributes(const FileState& state) const;
  // A further name of it in an open folder, where none may be yet. Returns errno, 0 if done.
  int link_into(int folder, const std::string& name) const;

 private:
  std::map<std::string, std::string> xattrs() const;

  Descriptor file_;
  std::string shown_;
  std::string by_descriptor_;  // in /proc: followed, it leads here and no further
  struct stat status_ {};
};

}  // namespace topsctl
