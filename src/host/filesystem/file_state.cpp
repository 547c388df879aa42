// Reads and restores the state of single paths.
#include "topsctl/host/filesystem/file_state.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

FileState::Type type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileState::Type::file;
  if (S_ISDIR(mode)) return FileState::Type::directory;
  if (S_ISLNK(mode)) return FileState::Type::symlink;
  return FileState::Type::special;
}

std::map<std::string, std::string> xattrs_of(const std::string& path) {
  std::map<std::string, std::string> xattrs;
  const ssize_t size = ::llistxattr(path.c_str(), nullptr, 0);
  if (size <= 0) return xattrs;
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t got = ::llistxattr(path.c_str(), names.data(), names.size());
  if (got < 0) throw system_error(errno, "read the attributes of", path);
  names.resize(static_cast<std::size_t>(got));
  for (const std::string& name : split(names, '\0')) {
    if (name.empty()) continue;
    std::string value(65536, '\0');  // XATTR_SIZE_MAX
    const ssize_t length = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (length < 0) continue;  // some file systems list names that they do not give out
    value.resize(static_cast<std::size_t>(length));
    xattrs.emplace(name, std::move(value));
  }
  return xattrs;
}

std::string target_of(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size < 0) throw system_error(errno, "read link", path);
  return {target.data(), static_cast<std::size_t>(size)};
}

bool lstat_or_absent(const std::string& path, struct stat& status) {
  if (::lstat(path.c_str(), &status) == 0) return true;
  if (errno == ENOENT || errno == ENOTDIR) return false;
  throw system_error(errno, "look at", path);
}

void create(const fs::path& path, const FileState& state, const fs::path& kept) {
  switch (state.type) {
    case FileState::Type::file:
      static_cast<void>(copy_with_digest(kept, path));
      return;
    case FileState::Type::symlink:
      if (::symlink(state.target.c_str(), path.c_str()) != 0) {
        throw system_error(errno, "make link", path.string());
      }
      return;
    case FileState::Type::special:
      if (::mknod(path.c_str(), state.mode, state.rdev) != 0) {
        throw system_error(errno, "make", path.string());
      }
      return;
    case FileState::Type::absent:
    case FileState::Type::directory:
      break;
  }
  throw Error(ErrorCode::internal, format("cannot replace {}", in_quotes(path.string())));
}

}  // namespace

FileState file_state(const std::string& path, Content content, FileIdentity* identity) {
  struct stat status {};
  if (!lstat_or_absent(path, status)) return {};
  if (identity != nullptr) *identity = {status.st_dev, status.st_ino, status.st_nlink};
  FileState state;
  state.type = type_of(status.st_mode);
  state.mode = status.st_mode;
  state.uid = status.st_uid;
  state.gid = status.st_gid;
  state.mtime_ns = status.st_mtim.tv_sec * ns_per_s + status.st_mtim.tv_nsec;
  if (state.type == FileState::Type::special) state.rdev = status.st_rdev;
  if (state.type == FileState::Type::symlink) state.target = target_of(path);
  if (state.type == FileState::Type::file) {
    state.size = static_cast<std::uint64_t>(status.st_size);
    if (content == Content::digest) state.sha256 = sha256_of_file(path);
  }
  state.xattrs = xattrs_of(path);
  return state;
}

bool agree(const FileState& a, const FileState& b) {
  if (a.sha256.empty() == b.sha256.empty()) return a == b;
  FileState known = a;
  known.sha256 = b.sha256;
  return known == b;
}

FileIdentity file_identity(const std::string& path) {
  struct stat status {};
  if (!lstat_or_absent(path, status)) return {};
  return {status.st_dev, status.st_ino, status.st_nlink};
}

bool is_immutable(const std::string& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &status) != 0) {
    return false;
  }
  return (status.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0;
}

void apply_attributes(const fs::path& path, const FileState& state) {
  if (::lchown(path.c_str(), state.uid, state.gid) != 0) {
    throw system_error(errno, "set the owner of", path.string());
  }
  // After the owner: a change of owner clears setuid bits and capabilities.
  if (state.type != FileState::Type::symlink && ::chmod(path.c_str(), state.mode & 07777U) != 0) {
    throw system_error(errno, "set the mode of", path.string());
  }
  for (const auto& [name, value] : xattrs_of(path)) {
    if (!state.xattrs.contains(name)) ::lremovexattr(path.c_str(), name.c_str());
  }
  for (const auto& [name, value] : state.xattrs) {
    if (::lsetxattr(path.c_str(), name.c_str(), value.data(), value.size(), 0) != 0) {
      throw system_error(errno, format("set attribute {} of", name), path.string());
    }
  }
  const std::int64_t seconds = state.mtime_ns / ns_per_s - (state.mtime_ns % ns_per_s < 0 ? 1 : 0);
  const std::array<timespec, 2> times = {
      {{0, UTIME_OMIT}, {seconds, state.mtime_ns - seconds * ns_per_s}}};
  if (::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW) != 0) {
    throw system_error(errno, "set the time of", path.string());
  }
}

void replace_with(const fs::path& path, const FileState& state, const fs::path& kept,
                  const fs::path& temporary) {
  ::unlink(temporary.c_str());
  try {
    create(temporary, state, kept);
    apply_attributes(temporary, state);
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
      throw system_error(errno, "put back", path.string());
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace topsctl
