// Caches the resolution of directories.
#include "topsctl/host/filesystem/canonical_paths.hpp"

#include <sys/stat.h>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace {

struct PathParts {
  std::string_view folder;
  std::string_view name;  // empty: the path cannot be split without resolving it
};

PathParts parts_of(std::string_view path) {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos) return {path, {}};
  const std::string_view name = path.substr(slash + 1);
  return {path.substr(0, slash), name == "." || name == ".." ? std::string_view() : name};
}

std::string below(const std::string& folder, std::string_view name) {
  return concat(folder == "/" ? "" : folder, "/", name);
}

}  // namespace

std::string CanonicalPaths::of(std::string_view path) {
  const auto [above, name] = parts_of(path);
  return name.empty() ? canonical_in_root(root_, path) : below(folder(above).path, name);
}

const CanonicalPaths::Folder& CanonicalPaths::folder(std::string_view asked) {
  std::string key(asked);
  const auto known = folders_.find(key);
  if (known != folders_.end()) return known->second;
  Folder found = resolved(asked);
  return folders_.emplace(std::move(key), std::move(found)).first->second;
}

// Uses the parent directory, which is cached too.
CanonicalPaths::Folder CanonicalPaths::resolved(std::string_view asked) {
  const auto [above, name] = parts_of(asked);
  if (name.empty()) return {canonical_in_root(root_, asked, LastLink::follow)};
  const Folder& parent = folder(above);
  Folder found{below(parent.path, name), parent.is_there};
  if (!found.is_there) return found;
  struct stat status {};
  const std::string here = concat(root_ == "/" ? "" : root_.native(), found.path);
  found.is_there = ::lstat(here.c_str(), &status) == 0;
  if (found.is_there && S_ISLNK(status.st_mode))
    found.path = canonical_in_root(root_, found.path, LastLink::follow);
  return found;
}

}  // namespace topsctl
