// Reads and sets inodes by their descriptors.
#include "topsctl/host/filesystem/inode.hpp"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

FileState::Type type_of(mode_t mode) {
  if (S_ISREG(mode)) return FileState::Type::file;
  if (S_ISDIR(mode)) return FileState::Type::directory;
  if (S_ISLNK(mode)) return FileState::Type::symlink;
  return FileState::Type::special;
}

std::string target_of(const Descriptor& link, const std::string& shown) {
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
  if (size < 0) throw system_error(errno, "read link", shown);
  return {target.data(), static_cast<std::size_t>(size)};
}

}  // namespace

std::optional<Inode> Inode::at(int folder, const std::string& name, std::string shown) {
  Descriptor file(::openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (file.is_open()) return Inode(std::move(file), std::move(shown));
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw system_error(errno, "stat", shown);
}

Inode::Inode(Descriptor file, std::string shown)
    : file_(std::move(file)),
      shown_(std::move(shown)),
      by_descriptor_(concat("/proc/self/fd/", file_.get())) {
  if (::fstat(file_.get(), &status_) != 0) throw system_error(errno, "stat", shown_);
}

FileIdentity Inode::identity() const {
  return {status_.st_dev, status_.st_ino, status_.st_nlink};
}

std::uint64_t Inode::mount() const {
  struct statx status {};
  const bool is_reported =
      ::statx(file_.get(), "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, STATX_MNT_ID, &status) == 0 &&
      (status.stx_mask & STATX_MNT_ID) != 0;
  return is_reported ? status.stx_mnt_id : 0;
}

std::map<std::string, std::string> Inode::xattrs() const {
  std::map<std::string, std::string> xattrs;
  const ssize_t size = ::listxattr(by_descriptor_.c_str(), nullptr, 0);
  if (size <= 0) return xattrs;
  std::string names(static_cast<std::size_t>(size), '\0');
  const ssize_t got = ::listxattr(by_descriptor_.c_str(), names.data(), names.size());
  if (got < 0) throw system_error(errno, "read the attributes of", shown_);
  names.resize(static_cast<std::size_t>(got));
  for (const std::string& name : split(names, '\0')) {
    if (name.empty()) continue;
    std::string value(65536, '\0');  // XATTR_SIZE_MAX
    const ssize_t length =
        ::getxattr(by_descriptor_.c_str(), name.c_str(), value.data(), value.size());
    if (length < 0) continue;  // some file systems list names that they do not give out
    value.resize(static_cast<std::size_t>(length));
    xattrs.emplace(name, std::move(value));
  }
  return xattrs;
}

FileState Inode::state(Content content) const {
  FileState state;
  state.type = type_of(status_.st_mode);
  state.mode = status_.st_mode;
  state.uid = status_.st_uid;
  state.gid = status_.st_gid;
  state.mtime_ns = status_.st_mtim.tv_sec * ns_per_s + status_.st_mtim.tv_nsec;
  if (state.type == FileState::Type::special) state.rdev = status_.st_rdev;
  if (state.type == FileState::Type::symlink) state.target = target_of(file_, shown_);
  if (state.type == FileState::Type::file) {
    state.size = static_cast<std::uint64_t>(status_.st_size);
    if (content == Content::digest) state.sha256 = sha256_of_file(open_file(O_RDONLY), shown_);
  }
  state.xattrs = xattrs();
  return state;
}

Descriptor Inode::open_file(int flags) const {
  if (!S_ISREG(status_.st_mode)) throw system_error(EINVAL, "open as a file", shown_);
  Descriptor opened(::open(by_descriptor_.c_str(), flags | O_CLOEXEC | O_NOCTTY));
  if (!opened.is_open()) throw system_error(errno, "open", shown_);
  return opened;
}

void Inode::apply_attributes(const FileState& state) const {
  const char* const path = by_descriptor_.c_str();
  if (::fchownat(file_.get(), "", state.uid, state.gid, AT_EMPTY_PATH) != 0)
    throw system_error(errno, "set the owner of", shown_);
  // After the owner: a change of owner clears setuid bits and capabilities.
  if (state.type != FileState::Type::symlink && ::chmod(path, state.mode & 07777U) != 0)
    throw system_error(errno, "set the mode of", shown_);
  for (const auto& [name, value] : xattrs()) {
    if (!state.xattrs.contains(name)) ::removexattr(path, name.c_str());
  }
  for (const auto& [name, value] : state.xattrs) {
    if (::setxattr(path, name.c_str(), value.data(), value.size(), 0) != 0)
      throw system_error(errno, format("set attribute {} of", name), shown_);
  }
  const std::int64_t seconds = state.mtime_ns / ns_per_s - (state.mtime_ns % ns_per_s < 0 ? 1 : 0);
  const std::array<timespec, 2> times = {
      {{0, UTIME_OMIT}, {seconds, state.mtime_ns - seconds * ns_per_s}}};
  if (::utimensat(AT_FDCWD, path, times.data(), 0) != 0)
    throw system_error(errno, "set the modification time of", shown_);
}

int Inode::link_into(int folder, const std::string& name) const {
  return ::linkat(AT_FDCWD, by_descriptor_.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0
             ? 0
             : errno;
}

}  // namespace topsctl
