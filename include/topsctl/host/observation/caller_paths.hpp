// Resolves a path or descriptor of another process to a path of the host.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

struct CallerPlace {
  // Canonical, on the host. Empty if there is no such path, for example in a missing directory, so
  // that the call fails or changes no file system; or, if is_there, for a file with one name
  // removed and another one left.
  std::string path;
  bool is_there = false;
  struct stat status {};  // of the existing file
};

enum class CallerLink { follow, keep };  // the last link

// For one thread, and for processes in the mount namespace of this one.
class CallerPaths {
 public:
  // Throws Error.
  explicit CallerPaths(const std::filesystem::path& root);

  // `folder`: a descriptor of the process, or AT_FDCWD. Throws Error if the path cannot be resolved
  // or lies outside the host's root.
  CallerPlace find(pid_t process, int folder, const std::string& path, CallerLink last);
  // The same with that directory as the root of the path (RESOLVE_IN_ROOT of openat2(2)).
  CallerPlace find_below(pid_t process, int folder, const std::string& path, CallerLink last);
  // For an open descriptor.
  CallerPlace find_open(pid_t process, int descriptor) const;
  // Like find() with the last link kept, without checking the file itself.
  std::string name_of(pid_t process, int folder, const std::string& path);
  // Only the name by which it was opened; empty: it has no name any more, or is not a file.
  std::string name_of_open(pid_t process, int descriptor);

  // Call when a directory is about to be removed: cached data about it become wrong. The path is
  // canonical.
  void forget_folder(const std::string& path);
  // The same for a directory that moves with its content.
  void forget_tree(const std::string& path);
  // Call when roots of processes or mounts are about to change: invalidates the whole cache.
  void know_nothing();

 private:
  struct Folder {
    Descriptor opened;   // not open: it does not exist
    std::string path;    // canonical, as this process sees it
    std::string inside;  // of a cached one: on the host; empty: "/"
  };
  using Clock = std::chrono::steady_clock;

  void forget_folders();
  std::string root_of(pid_t process) const;
  enum class Look { whole, name };
  CallerPlace walk(pid_t process, const std::string& root, std::string path, CallerLink last,
                   Look look = Look::whole);
  // The root at which a path of the process begins, and the path from there; invalid if the path
  // does not begin with a slash.
  std::pair<std::string, std::string> begin_of(pid_t process, int folder,
                                               const std::string& path) const;
  // The cached directory of a path and the name in it; nothing: it must be looked up.
  std::optional<std::pair<const Folder*, std::string_view>> known_begin(
      const std::string& path) const;
  // Valid until the next call.
  const Folder& known_folder(pid_t process, const std::string& root, const std::string& path);
  Folder open_folder(pid_t process, const std::string& root, const std::string& path);
  // For a link of proc(5) that leads to a file with another name or no name.
  CallerPlace behind(const Folder& folder, const std::string& name) const;
  CallerPlace place(const std::string& folder, const std::string& name) const;
  std::string on_machine(const std::string& path) const;

  std::string root_;                         // of the host, canonical; empty: "/"
  std::string own_;                          // this process's directory in /proc, with a slash
  std::map<std::string, Descriptor> roots_;  // of processes
  TextMap<Folder> folders_;         // by canonical paths of the host, with a slash at the end
  Folder last_folder_;              // not among them
  Clock::time_point known_from_{};  // nothing is cached before this time
  pid_t opened_by_ = 0;
  Descriptor opened_;            // the directory of that process's descriptors in /proc
  bool are_roots_known_ = true;  // all are the host's root
};

}  // namespace topsctl
