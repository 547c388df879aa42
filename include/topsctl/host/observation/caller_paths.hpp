// Which path of a machine another process means by a path, or by a descriptor.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>

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

 private:
  struct Folder {
    Descriptor opened;  // not open: there is none
    std::string path;   // canonical, as this process sees it
  };

  CallerPlace walk(pid_t process, const std::string& root, std::string path, CallerLink last);
  Folder open_folder(pid_t process, const std::string& root, const std::string& path);
  // A link of proc(5) that leads to what has another name, or none.
  CallerPlace behind(const Folder& folder, const std::string& name) const;
  CallerPlace place(const std::string& folder, const std::string& name) const;
  std::string on_machine(const std::string& path) const;

  std::string root_;                         // of the machine, canonical; empty: "/"
  std::string own_;                          // the folder of this process in /proc, with a slash
  std::map<std::string, Descriptor> roots_;  // of processes
};

}  // namespace topsctl
