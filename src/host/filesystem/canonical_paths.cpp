// Remembers where folders lead.
#include "topsctl/host/filesystem/canonical_paths.hpp"

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

std::string CanonicalPaths::of(std::string_view path) {
  const auto slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  if (slash == std::string_view::npos || name.empty() || name == "." || name == "..") {
    return canonical_in_root(root_, path);
  }
  const std::string asked(path.substr(0, slash));
  auto folder = folders_.find(asked);
  if (folder == folders_.end()) {
    folder = folders_.emplace(asked, canonical_in_root(root_, asked, LastLink::follow)).first;
  }
  return concat(folder->second == "/" ? "" : folder->second, "/", name);
}

}  // namespace topsctl
