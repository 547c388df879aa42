// Finds paths by their names and those of their directories.
#include "engine/observation/known_paths.hpp"

#include <algorithm>
#include <array>

#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg.hpp"

namespace topsctl {

namespace {

// "" for entries of the root directory, and for the root directory itself.
std::string_view above(std::string_view path) {
  return path.substr(0, std::min(path.rfind('/'), path.size()));
}

std::string_view folder_text(std::string_view path) {
  return path.empty() ? "/" : path;
}

}  // namespace

bool is_left_out(std::string_view path) {
  constexpr std::array<std::string_view, 7> folders = {"/dev", "/proc",    "/run",    "/sys",
                                                       "/tmp", "/var/tmp", "/var/log"};
  return std::any_of(folders.begin(), folders.end(), [&](std::string_view folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
  });
}

KnownPaths::KnownPaths(const Snapshot& snapshot) {
  paths_.reserve(2 * snapshot.paths.size());
  for (const KeptPath& kept : snapshot.paths) {
    const bool was_folder = kept.state.type == FileState::Type::directory;
    paths_.emplace(kept.path,
                   Known{static_cast<std::ptrdiff_t>(paths_.size()), was_folder, kept.is_unpacked});
  }
  // New entries in a directory that only packages use may be foreign; observation attributes them.
  for (const PathFamily& family : snapshot.families) {
    if (!family.is_own) families_[family.directory].push_back(family.prefix);
  }
}

void KnownPaths::add(const std::string& path, bool was_folder) {
  paths_.emplace(path, Known{static_cast<std::ptrdiff_t>(paths_.size()), was_folder, false});
}

std::ptrdiff_t KnownPaths::index_of(const std::string& path) const {
  const auto found = paths_.find(path);
  return found == paths_.end() ? -1 : found->second.index;
}

// A family without a prefix has only files, others include everything in their directories.
bool KnownPaths::is_of_family(std::string_view path, bool is_folder) const {
  const auto found = families_.find(folder_text(above(path)));
  if (found == families_.end()) return false;
  const std::string_view name = path.substr(above(path).size() + 1);
  return std::any_of(found->second.begin(), found->second.end(), [&](const std::string& prefix) {
    return prefix.empty() ? !is_folder : name.starts_with(prefix);
  });
}

bool KnownPaths::is_beside_unpacked(std::string_view path) const {
  const std::string_view bare = path_beside(path);
  if (bare.empty()) return false;
  const auto found = paths_.find(bare);
  return found != paths_.end() && found->second.is_unpacked;
}

bool KnownPaths::knows(const std::string& path, bool is_folder) const {
  if (is_dpkg_lock(path) || paths_.contains(path) || is_of_family(path, is_folder) ||
      is_beside_unpacked(path))
    return true;
  // In a new directory, every new entry is removed.
  for (std::string_view folder = above(path); !folder.empty(); folder = above(folder)) {
    if (const auto found = paths_.find(folder); found != paths_.end())
      return !found->second.was_folder;
    if (is_of_family(folder, true) || is_beside_unpacked(folder)) return true;
  }
  return false;
}

}  // namespace topsctl
