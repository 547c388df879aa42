// Resolves paths as the kernel will, one directory at a time.
#include "topsctl/host/observation/caller_paths.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/fsuid.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int most_links = 40;  // the kernel's own limit
constexpr std::string_view proc_begin = "/proc/";

std::string link_target(int folder, const std::string& name) {
  std::array<char, PATH_MAX + 16> target{};
  const ssize_t size = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  if (size < 0) throw system_error(errno, "read link", name);
  return {target.data(), static_cast<std::size_t>(size)};
}

std::string in_proc(pid_t process, std::string_view name) {
  return concat("/proc/", process, "/", name);
}

// Without CAP_SYS_PTRACE, only the user of a process may resolve its links in proc(5).
class AsUserOf {
 public:
  explicit AsUserOf(pid_t process) {
    struct stat status {};
    if (::stat(in_proc(process, "").c_str(), &status) != 0) return;
    ::setfsgid(status.st_gid);
    ::setfsuid(status.st_uid);
  }
  ~AsUserOf() {
    ::setfsuid(::geteuid());
    ::setfsgid(::getegid());
  }
  AsUserOf(const AsUserOf&) = delete;
  AsUserOf& operator=(const AsUserOf&) = delete;
};

// The same as `read`, for a link in the process's directory; retried as its user if that is
// refused.
template <typename Read>
auto as_allowed(pid_t process, Read read) {
  const auto done = read();
  if (done >= 0 || (errno != EACCES && errno != EPERM)) return done;
  const AsUserOf user(process);
  return read();
}

std::string link_of_process(pid_t process, std::string_view name) {
  const std::string path = in_proc(process, name);
  std::array<char, PATH_MAX + 16> target{};
  const ssize_t size =
      as_allowed(process, [&] { return ::readlink(path.c_str(), target.data(), target.size()); });
  if (size < 0) throw system_error(errno, "read link", path);
  return {target.data(), static_cast<std::size_t>(size)};
}

// Links of processes lead to files with another name, or without one.
bool is_magic(int folder) {
  constexpr ino_t root_of_proc = 1;
  struct statfs system {};
  struct stat status {};
  return ::fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC &&
         ::fstat(folder, &status) == 0 && status.st_ino != root_of_proc;
}

// Opens a directory below `root`, without leaving it by links or "..". Not open: errno has the
// reason; ELOOP also for a link of a process.
Descriptor open_below(int root, const std::string& path) {
  constexpr int as_place = O_PATH | O_NOFOLLOW | O_CLOEXEC;
  const auto again = [&] { return Descriptor(::openat(root, ".", as_place | O_DIRECTORY)); };
  std::vector<Descriptor> folders;
  folders.push_back(again());
  std::string rest = path;
  int links = 0;
  for (std::size_t begin = 0; begin < rest.size() && folders.back().is_open();) {
    const auto end = std::min(rest.find('/', begin), rest.size());
    const std::string name = rest.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (folders.size() > 1) folders.pop_back();
      continue;
    }
    const int here = folders.back().get();
    Descriptor next(::openat(here, name.c_str(), as_place));
    struct stat status {};
    if (!next.is_open() || ::fstat(next.get(), &status) != 0) return {};
    if (!S_ISLNK(status.st_mode)) {
      folders.push_back(std::move(next));
      continue;
    }
    if (++links > most_links || is_magic(here)) {
      errno = ELOOP;
      return {};
    }
    const std::string target = link_target(next.get(), "");
    rest = concat(target, "/", end < rest.size() ? rest.substr(begin) : std::string());
    begin = 0;
    if (target.starts_with('/')) folders.resize(1);
  }
  // Also for a file.
  return Descriptor(::openat(folders.back().get(), ".", as_place | O_DIRECTORY));
}

std::string path_of_open(int descriptor) {
  return link_target(AT_FDCWD, concat("/proc/self/fd/", descriptor));
}

// "" for the root, so that a path can be appended.
std::string without_root(std::string path) {
  return path == "/" ? std::string() : std::move(path);
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

Error untold(const std::string& path) {
  return Error(ErrorCode::host_unfit, format("cannot tell what {} leads to", in_quotes(path)));
}

}  // namespace

CallerPaths::CallerPaths(const std::filesystem::path& root)
    : root_(without_root(std::filesystem::canonical(root).string())),
      own_(concat("/proc/", ::getpid(), "/")) {}

std::string CallerPaths::on_machine(const std::string& path) const {
  if (!is_below(path, root_)) throw untold(path);
  std::string inside = path.substr(root_.size());
  return inside.empty() ? "/" : inside;
}

void CallerPaths::forget_folders() {
  folders_.clear();
  // The call is made after the answer to it.
  constexpr std::chrono::milliseconds while_it_is_made{20};
  if (are_roots_known_) known_from_ = Clock::now() + while_it_is_made;
}

void CallerPaths::forget_folder(const std::string& path) {
  if (folders_.contains(concat(path, "/"))) forget_folders();
}

void CallerPaths::forget_tree(const std::string& path) {
  const std::string begin = concat(path, "/");
  const bool is_known = std::any_of(folders_.begin(), folders_.end(), [&](const auto& folder) {
    return folder.first.starts_with(begin);
  });
  if (is_known) forget_folders();
}

void CallerPaths::know_nothing() {
  are_roots_known_ = false;
  folders_.clear();
  known_from_ = Clock::time_point::max();
}

std::string CallerPaths::root_of(pid_t process) const {
  if (are_roots_known_) return root_;
  return without_root(link_of_process(process, "root"));
}

std::pair<std::string, std::string> CallerPaths::begin_of(pid_t process, int folder,
                                                          const std::string& path) const {
  std::string root = root_of(process);
  if (path.empty() || path.front() == '/') return {std::move(root), path};
  const std::string from =
      link_of_process(process, folder == AT_FDCWD ? "cwd" : concat("fd/", folder));
  if (!from.starts_with('/')) return {};  // a pipe or the like: the call fails
  // A process outside of its root after chroot(2) resolves paths from there.
  if (!is_below(from, root)) root.clear();
  std::string whole = concat(from.substr(root.size()), "/", path);
  return {std::move(root), std::move(whole)};
}

CallerPlace CallerPaths::find(pid_t process, int folder, const std::string& path, CallerLink last) {
  auto [root, whole] = begin_of(process, folder, path);
  return whole.empty() ? CallerPlace() : walk(process, root, std::move(whole), last);
}

std::optional<std::pair<const CallerPaths::Folder*, std::string_view>> CallerPaths::known_begin(
    const std::string& path) const {
  if (!are_roots_known_) return std::nullopt;
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return std::nullopt;
  const std::string_view name = std::string_view(path).substr(slash + 1);
  if (name.empty() || name == "." || name == "..") return std::nullopt;
  const auto known = folders_.find(std::string_view(path).substr(0, slash + 1));
  if (known == folders_.end()) return std::nullopt;
  return std::pair(&known->second, name);
}

std::string CallerPaths::name_of(pid_t process, int folder, const std::string& path) {
  if (const auto known = known_begin(path)) return concat(known->first->inside, "/", known->second);
  auto [root, whole] = begin_of(process, folder, path);
  if (whole.empty()) return {};
  return walk(process, root, std::move(whole), CallerLink::keep, Look::name).path;
}

CallerPlace CallerPaths::find_below(pid_t process, int folder, const std::string& path,
                                    CallerLink last) {
  const std::string root =
      link_of_process(process, folder == AT_FDCWD ? "cwd" : concat("fd/", folder));
  if (!root.starts_with('/')) return {};
  return walk(process, without_root(root), concat("/", path), last);
}

const CallerPaths::Folder& CallerPaths::known_folder(pid_t process, const std::string& root,
                                                     const std::string& path) {
  const bool is_of_machine = are_roots_known_ && root == root_;
  if (is_of_machine) {
    if (const auto known = folders_.find(path); known != folders_.end()) return known->second;
  }
  last_folder_ = open_folder(process, root, path);
  // No link was followed: the cache entry becomes wrong only if the directory is removed or moved.
  // A path of a process means something else for the next one.
  if (!is_of_machine || !last_folder_.opened.is_open() || !is_below(last_folder_.path, root_))
    return last_folder_;
  last_folder_.inside = without_root(on_machine(last_folder_.path));
  const bool is_to_be_known = path == concat(last_folder_.inside, "/") &&
                              Clock::now() >= known_from_ &&
                              !last_folder_.path.starts_with("/proc");
  if (!is_to_be_known) return last_folder_;
  constexpr std::size_t most_folders = 256;  // open descriptors
  if (folders_.size() >= most_folders) folders_.clear();
  return folders_.emplace(path, std::move(last_folder_)).first->second;
}

CallerPaths::Folder CallerPaths::open_folder(pid_t process, const std::string& root,
                                             const std::string& path) {
  const auto [known, is_new] = roots_.try_emplace(root);
  if (is_new) {
    known->second =
        Descriptor(::open(root.empty() ? "/" : root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }
  if (!known->second.is_open()) {
    roots_.erase(known);
    throw untold(root);
  }
  Folder folder;
  folder.opened = open_below(known->second.get(), path);
  if (!folder.opened.is_open()) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return folder;
    throw untold(path);
  }
  folder.path = path_of_open(folder.opened.get());
  // "self" of /proc refers to the process that resolves it.
  if (folder.path.starts_with(own_)) {
    folder.path = in_proc(process, folder.path.substr(own_.size()));
    folder.opened = Descriptor(::open(folder.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder.opened.is_open()) folder.path.clear();
  }
  return folder;
}

CallerPlace CallerPaths::walk(pid_t process, const std::string& root, std::string path,
                              CallerLink last, Look look) {
  for (int links = 0; links < most_links; ++links) {
    const bool is_folder = path.ends_with('/');
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    const auto slash = path.rfind('/');
    const std::string name = path.substr(slash + 1);
    if (name.empty() || name == "." || name == "..") {
      const Folder& folder = known_folder(process, root, path);
      return folder.opened.is_open() ? place(folder.path, "") : CallerPlace();
    }
    const Folder& folder = known_folder(process, root, path.substr(0, slash + 1));
    if (!folder.opened.is_open()) return {};
    if (look == Look::name) return place(folder.path, name);
    struct stat status {};
    if (::fstatat(folder.opened.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return place(folder.path, name);
      if (errno == ENAMETOOLONG) return {};
      throw untold(path);
    }
    if (!S_ISLNK(status.st_mode) || (last == CallerLink::keep && !is_folder)) {
      CallerPlace found = place(folder.path, name);
      found.is_there = true;
      found.status = status;
      return found;
    }
    if (folder.path.starts_with(proc_begin)) return behind(folder, name);
    const std::string target = link_target(folder.opened.get(), name);
    if (target.empty()) return {};
    if (target.front() == '/') {
      path = target;
    } else {
      if (!is_below(folder.path, root)) throw untold(path);
      path = concat(folder.path.substr(root.size()), "/", target);
    }
    if (is_folder) path.push_back('/');
  }
  return {};  // ELOOP
}

CallerPlace CallerPaths::place(const std::string& folder, const std::string& name) const {
  CallerPlace found;
  if (!name.empty()) {
    found.path = on_machine(concat(folder == "/" ? "" : folder, "/", name));
    return found;
  }
  found.path = on_machine(folder);
  found.is_there = ::lstat(folder.c_str(), &found.status) == 0;
  return found;
}

CallerPlace CallerPaths::behind(const Folder& folder, const std::string& name) const {
  const auto process = static_cast<pid_t>(std::atoi(folder.path.c_str() + proc_begin.size()));
  const Descriptor opened(as_allowed(
      process, [&] { return ::openat(folder.opened.get(), name.c_str(), O_PATH | O_CLOEXEC); }));
  if (!opened.is_open()) return {};
  CallerPlace found;
  found.is_there = ::fstat(opened.get(), &found.status) == 0;
  const std::string path = path_of_open(opened.get());
  if (!found.is_there || !path.starts_with('/')) return {};  // a pipe or the like
  struct stat named {};
  const bool is_named = ::lstat(path.c_str(), &named) == 0 && named.st_dev == found.status.st_dev &&
                        named.st_ino == found.status.st_ino;
  if (is_named) found.path = on_machine(path);
  // An unnamed file disappears when it is closed.
  return is_named || found.status.st_nlink > 0 ? found : CallerPlace();
}

std::string CallerPaths::name_of_open(pid_t process, int descriptor) {
  if (opened_by_ != process || !opened_.is_open()) {
    opened_ = Descriptor(::open(in_proc(process, "fd").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    opened_by_ = process;
  }
  std::array<char, PATH_MAX> target{};
  const ssize_t size = as_allowed(process, [&] {
    return ::readlinkat(opened_.get(), concat(descriptor).c_str(), target.data(), target.size());
  });
  if (size <= 0) {
    opened_.close();  // possibly of an ended process with the same number
    return {};
  }
  const std::string_view path(target.data(), static_cast<std::size_t>(size));
  if (!path.starts_with('/') || !is_below(path, root_) || path.ends_with(" (deleted)")) return {};
  return std::string(path.substr(root_.size()));
}

CallerPlace CallerPaths::find_open(pid_t process, int descriptor) const {
  Folder folder;
  folder.path = in_proc(process, "fd");
  folder.opened = Descriptor(::open(folder.path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder.opened.is_open()) return {};
  return behind(folder, concat(descriptor));
}

}  // namespace topsctl
