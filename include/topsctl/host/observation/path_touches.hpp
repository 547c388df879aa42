// The paths that a call is about to change, and how.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "topsctl/host/observation/call_notice.hpp"
#include "topsctl/host/observation/caller_paths.hpp"

namespace topsctl {

enum class Touch {
  content,      // a file is written in place
  attributes,   // owner, mode, times or extended attributes are set
  name,         // a name is created, removed or replaced
  folder_name,  // a directory is created
  tree          // a tree is moved
};

struct PathTouch {
  CallerPlace place;
  Touch touch = Touch::name;
  std::string moves_to = {};  // of a tree: its new path
};

// Whether a path needs no backup before its name or attributes change.
using IsKnown = std::function<bool(const std::string&)>;

// Empty for a call that fails by itself, or changes no path or only known ones. Throws Error if the
// paths cannot be determined.
std::vector<PathTouch> touches_of(const CallNotice& notice, CallerPaths& paths,
                                  const IsKnown& is_known);

}  // namespace topsctl
