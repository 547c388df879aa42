// Checks owners and modes from the root down.
#include "topsctl/host/filesystem/own_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <string>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t for_us_alone = 0700;
constexpr mode_t by_others = 0022;
constexpr const char* other_place_hint = "remove it, or choose another directory with --dest";

[[noreturn]] void refuse_owner(const fs::path& path, uid_t owner, const std::string& hint) {
  throw Error(ErrorCode::permission,
              format("{} belongs to another user (uid {})", in_quotes(path.string()), owner), hint);
}

[[noreturn]] void refuse_mode(const fs::path& path, mode_t mode, const std::string& hint) {
  throw Error(ErrorCode::permission,
              format("{} is writable by other users (mode {})", in_quotes(path.string()),
                     octal_mode(mode & 07777U)),
              hint);
}

// A directory on the way to another one, or a link in its place.
void require_own_step(const fs::path& path, const struct stat& status) {
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) {
    refuse_owner(path, status.st_uid,
                 "choose another place with --dest, below directories owned by root or the user");
  }
  // In a sticky directory other users can create entries, but not replace ours.
  const bool is_open = (status.st_mode & by_others) != 0 && (status.st_mode & S_ISVTX) == 0;
  if (S_ISDIR(status.st_mode) && is_open) {
    refuse_mode(path, status.st_mode,
                format("run `chmod go-w {}` on the host, or choose another place with --dest",
                       path.string()));
  }
}

struct stat looked_at(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) throw system_error(errno, "read", path.string());
  return status;
}

}  // namespace

void require_own_way(const fs::path& path) {
  constexpr int most_links = 40;  // the kernel's own limit
  const fs::path way = fs::absolute(path).parent_path().relative_path();
  std::deque<fs::path> todo(way.begin(), way.end());
  fs::path at = "/";
  require_own_step(at, looked_at(at));
  for (int links = 0; !todo.empty();) {
    const fs::path part = std::move(todo.front());
    todo.pop_front();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    std::error_code failure;
    if (!fs::exists(fs::symlink_status(at / part, failure))) return;
    const struct stat status = looked_at(at / part);
    require_own_step(at / part, status);
    if (!S_ISLNK(status.st_mode)) {
      at /= part;
      continue;
    }
    if (++links > most_links) throw system_error(ELOOP, "read", path.string());
    const fs::path target = fs::read_symlink(at / part);
    if (target.is_absolute()) at = "/";
    const fs::path rest = target.relative_path();
    todo.insert(todo.begin(), rest.begin(), rest.end());
  }
}

bool is_own_way(const fs::path& path) {
  try {
    require_own_way(path);
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    return false;
  }
}

void require_own_folder(const fs::path& folder) {
  require_own_way(folder);
  make_directories(folder.parent_path(), for_us_alone);
  if (::mkdir(folder.c_str(), for_us_alone) != 0 && errno != EEXIST)
    throw system_error(errno, "create directory", folder.string());
  const struct stat status = looked_at(folder);
  if (!S_ISDIR(status.st_mode)) {
    throw Error(ErrorCode::permission,
                concat(in_quotes(folder.string()),
                       S_ISLNK(status.st_mode) ? " is a link, possibly planted by another user"
                                               : " is not a directory"),
                other_place_hint);
  }
  if (status.st_uid != ::geteuid()) refuse_owner(folder, status.st_uid, other_place_hint);
  if ((status.st_mode & by_others) != 0) {
    refuse_mode(folder, status.st_mode,
                format("run `chmod 700 {}` on the host, or {}", folder.string(), other_place_hint));
  }
}

}  // namespace topsctl
