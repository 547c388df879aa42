// What a call is about to do to which paths.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "topsctl/host/observation/call_notice.hpp"
#include "topsctl/host/observation/caller_paths.hpp"

namespace topsctl {

enum class Touch {
  content,      // a file is written as it stands
  attributes,   // owner, mode, times or extended attributes are set
  name,         // what is there is taken away or replaced, or something is made there
  folder_name,  // a folder is made
  tree          // what is there moves with all that is in it
};

struct PathTouch {
  CallerPlace place;
  Touch touch = Touch::name;
  std::string moves_to = {};  // of a tree: the path that it gets
};

// Whether nothing has to be kept of a path before its name or its attributes change.
using IsKnown = std::function<bool(const std::string&)>;

// Nothing for a call that fails by itself or changes no path, or one that is known. Throws Error if
// nobody can tell.
std::vector<PathTouch> touches_of(const CallNotice& notice, CallerPaths& paths,
                                  const IsKnown& is_known);

}  // namespace topsctl
