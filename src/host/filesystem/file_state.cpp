// Reads and restores the state of single paths.
#include "topsctl/host/filesystem/file_state.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/host/filesystem/inode.hpp"

namespace topsctl {

namespace fs = std::filesystem;

FileState file_state(const std::string& path, Content content, FileIdentity* identity) {
  const auto inode = Inode::at(AT_FDCWD, path, path);
  if (!inode) return {};
  if (identity != nullptr) *identity = inode->identity();
  return inode->state(content);
}

bool agree(const FileState& a, const FileState& b) {
  if (a.sha256.empty() == b.sha256.empty()) return a == b;
  FileState known = a;
  known.sha256 = b.sha256;
  return known == b;
}

FileIdentity file_identity(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) return {status.st_dev, status.st_ino, status.st_nlink};
  if (errno == ENOENT || errno == ENOTDIR) return {};
  throw system_error(errno, "stat", path);
}

Immutability immutability(const std::string& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &status) != 0)
    return Immutability::absent;
  const auto forbidding = status.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND);
  return forbidding != 0 ? Immutability::immutable : Immutability::changeable;
}

void apply_attributes(const fs::path& path, const FileState& state) {
  const auto inode = Inode::at(AT_FDCWD, path.string(), path.string());
  if (!inode) throw system_error(ENOENT, "set the owner of", path.string());
  inode->apply_attributes(state);
}

}  // namespace topsctl
