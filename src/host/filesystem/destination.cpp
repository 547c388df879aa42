// Puts received files into place, without following links that other users may have planted.
#include "topsctl/host/filesystem/destination.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/filesystem/own_folder.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t own_folder = 0700;

std::string last_part(const std::string& name) {
  return name.substr(name.rfind('/') + 1);
}

}  // namespace

bool is_safe_name(std::string_view name) {
  constexpr std::size_t longest_name = 255;
  constexpr std::size_t longest_path = 3000;
  if (name.size() > longest_path || !is_utf8(name) || printable(name) != name) return false;
  const std::vector<std::string> parts = split(name, '/');
  return std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return !part.empty() && part != "." && part != ".." && part.size() <= longest_name;
  });
}

Destination::Destination(const fs::path& folder) : path_(folder) {
  require_own_folder(folder);
  folder_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder_.is_open()) throw system_error(errno, "open directory", folder.string());
}

Descriptor Destination::folder_of(const std::string& name) const {
  Descriptor at(::fcntl(folder_.get(), F_DUPFD_CLOEXEC, 3));
  std::vector<std::string> parts = split(name, '/');
  parts.pop_back();
  for (const std::string& part : parts) {
    if (::mkdirat(at.get(), part.c_str(), own_folder) != 0 && errno != EEXIST)
      throw system_error(errno, "create directory", (path_ / name).parent_path().string());
    Descriptor next(
        ::openat(at.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next.is_open())
      throw system_error(errno, "open directory", (path_ / name).parent_path().string());
    at = std::move(next);
  }
  return at;
}

bool Destination::holds(const fs::path& object, const std::string& name) const {
  if (!is_safe_name(name)) return false;
  struct stat ours {};
  struct stat there {};
  return ::lstat(object.c_str(), &ours) == 0 &&
         ::fstatat(folder_of(name).get(), last_part(name).c_str(), &there, AT_SYMLINK_NOFOLLOW) ==
             0 &&
         ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

void Destination::place(const fs::path& object, const std::string& name) const {
  if (!is_safe_name(name)) {
    throw Error(ErrorCode::bad_bundle, format("invalid file name: {}", in_quotes(name)),
                "rename the file in the bundle");
  }
  const Descriptor folder = folder_of(name);
  const std::string temporary = concat(".topsctl-", ::getpid(), "-new");
  ::unlinkat(folder.get(), temporary.c_str(), 0);
  if (::linkat(AT_FDCWD, object.c_str(), folder.get(), temporary.c_str(), 0) != 0) {
    // Another file system, or one without links.
    const fs::path copy = fs::path(concat("/proc/self/fd/", folder.get())) / temporary;
    copy_with_digest(object, copy);
    const Descriptor written(::openat(folder.get(), temporary.c_str(), O_RDONLY | O_CLOEXEC));
    constexpr mode_t readable_by_all = 0644;
    if (!written.is_open() || ::fchmod(written.get(), readable_by_all) != 0 ||
        ::fsync(written.get()) != 0) {
      throw system_error(errno, "write", (path_ / name).string());
    }
  }
  if (::renameat(folder.get(), temporary.c_str(), folder.get(), last_part(name).c_str()) != 0) {
    const int reason = errno;
    ::unlinkat(folder.get(), temporary.c_str(), 0);
    throw system_error(reason, "write", (path_ / name).string());
  }
  // renameat(2) does nothing, and leaves both names, if they are one file.
  ::unlinkat(folder.get(), temporary.c_str(), 0);
  if (::fsync(folder.get()) != 0) throw system_error(errno, "sync", (path_ / name).string());
}

void Destination::sync() const {
  if (::fsync(folder_.get()) != 0) throw system_error(errno, "sync directory", path_.string());
}

}  // namespace topsctl
