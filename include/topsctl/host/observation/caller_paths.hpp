// Which path of a machine another process means by a path, or by a descriptor.
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
  // Canonical, as the machine sees it. Empty: it is none, as where its folder is missing, so that
  // the call fails by itself or changes no file system; or, if it is there, it is a file of which
  // one name is gone and another left.
  std::string path;
  bool is_there = false;
  struct stat status {};  // of what is there
};

enum class CallerLink { follow, keep };  // the last one

// For one thread, and for processes that have the mounts of this one.
class CallerPaths {
 public:
  // Throws Error.
  explicit CallerPaths(const std::filesystem::path& root);

  // `folder`: a descriptor of the process, or AT_FDCWD. Throws Error if nobody can tell, and for
  // what lies outside the machine's root.
  CallerPlace find(pid_t process, int folder, const std::string& path, CallerLink last);
  // The same with that folder as the root of the path (RESOLVE_IN_ROOT of openat2(2)).
  CallerPlace find_below(pid_t process, int folder, const std::string& path, CallerLink last);
  // Of an open descriptor.
  CallerPlace find_open(pid_t process, int descriptor) const;
  // As find() with the last link kept, without a look at what is there.
  std::string name_of(pid_t process, int folder, const std::string& path);
  // The name alone by which it was opened; empty: it has none any more, or is no file.
  std::string name_of_open(pid_t process, int descriptor);

  // A folder goes away: what is known of it is wrong once that is done. Its path is canonical.
  void forget_folder(const std::string& path);
  // The same for one that moves with all that is in it.
  void forget_tree(const std::string& path);
  // Roots of processes or mounts are about to change: nothing is taken for known any more.
  void know_nothing();

 private:
  struct Folder {
    Descriptor opened;   // not open: there is none
    std::string path;    // canonical, as this process sees it
    std::string inside;  // of one that is remembered: as the machine sees it; empty: "/"
  };
  using Clock = std::chrono::steady_clock;

  void forget_folders();
  std::string root_of(pid_t process) const;
  enum class Look { whole, name };
  CallerPlace walk(pid_t process, const std::string& root, std::string path, CallerLink last,
                   Look look = Look::whole);
  // The root that a path of the process begins at, and the path from there; a path without a slash
  // at its begin: it is none.
  std::pair<std::string, std::string> begin_of(pid_t process, int folder,
                                               const std::string& path) const;
  // The folder of a path and its name there; nothing: one has to look.
  std::optional<std::pair<const Folder*, std::string_view>> known_begin(
      const std::string& path) const;
  // Valid until the next call.
  const Folder& known_folder(pid_t process, const std::string& root, const std::string& path);
  Folder open_folder(pid_t process, const std::string& root, const std::string& path);
  // A link of proc(5) that leads to what has another name, or none.
  CallerPlace behind(const Folder& folder, const std::string& name) const;
  CallerPlace place(const std::string& folder, const std::string& name) const;
  std::string on_machine(const std::string& path) const;

  std::string root_;                         // of the machine, canonical; empty: "/"
  std::string own_;                          // the folder of this process in /proc, with a slash
  std::map<std::string, Descriptor> roots_;  // of processes
  TextMap<Folder> folders_;         // by canonical paths of the machine, a slash at the end
  Folder last_folder_;              // that is not among them
  Clock::time_point known_from_{};  // until then none is added
  pid_t opened_by_ = 0;
  Descriptor opened_;            // the folder of that process's descriptors in /proc
  bool are_roots_known_ = true;  // all are that of the machine
};

}  // namespace topsctl
