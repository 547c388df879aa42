// Lists the paths that write sets mean.
#include "topsctl/engine/transaction/write_set_expansion.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/filesystem/canonical_paths.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// Stays on one file system: what is mounted there is not ours.
void add_subtree(const fs::path& folder, const std::string& shown, std::set<std::string>& found) {
  if (file_identity(folder).device != file_identity(folder.parent_path()).device) return;
  std::error_code failure;
  for (auto at = fs::directory_iterator(folder, failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const std::string name = concat(shown, "/", at->path().filename().string());
    found.insert(name);
    std::error_code ignored;
    if (at->symlink_status(ignored).type() == fs::file_type::directory) {
      add_subtree(at->path(), name, found);
    }
  }
}

// Whether the path is a folder that no link leads to: behind a link lies what is not ours.
bool is_reached_directly(const Host& host, const std::string& folder) {
  struct stat status {};
  // In this order: it is asked of many paths, and few are folders.
  return ::lstat(host.join_canonical_text(folder).c_str(), &status) == 0 &&
         S_ISDIR(status.st_mode) &&
         canonical_in_root(host.root, folder, LastLink::follow) == folder;
}

// The folder that a canonical path lies in; empty: that is the root folder, or it is none.
std::string_view folder_of(std::string_view path) {
  return path.substr(0, std::min(path.rfind('/'), path.size()));
}

// What belongs to a family now; its folder is canonical.
void add_of_family(const Host& host, const PathFamily& family, std::set<std::string>& found) {
  const std::string& folder = family.directory;
  if (!is_reached_directly(host, folder)) return;
  std::error_code failure;
  for (auto at = fs::directory_iterator(host.join_canonical(folder), failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const std::string name = at->path().filename().string();
    std::error_code ignored;
    const bool is_folder = at->symlink_status(ignored).type() == fs::file_type::directory;
    if (!name.starts_with(family.prefix) || (family.prefix.empty() && is_folder)) continue;
    const std::string path = concat(folder == "/" ? "" : folder, "/", name);
    found.insert(path);
    if (is_folder) add_subtree(at->path(), path, found);
  }
}

// Files of dpkg's names beside those of the sorted paths that lie in this folder.
std::vector<std::string> beside_in(const Host& host, const std::string& folder,
                                   const std::vector<std::string_view>& unpacked) {
  std::vector<std::string> found;
  const fs::path real = host.join_canonical(folder.empty() ? "/" : folder);
  std::error_code failure;
  if (fs::symlink_status(real, failure).type() != fs::file_type::directory) return found;
  for (auto at = fs::directory_iterator(real, failure); !failure && at != fs::directory_iterator();
       at.increment(failure)) {
    const std::string_view whole = at->path().native();
    const std::string_view name = whole.substr(whole.rfind('/') + 1);
    const std::string_view bare = path_beside(name);
    if (bare.empty()) continue;
    if (std::binary_search(unpacked.begin(), unpacked.end(), concat(folder, "/", bare)))
      found.push_back(concat(folder, "/", name));
  }
  return found;
}

// The same for all sorted paths: a look into each folder, since most of them hold no such file.
void add_beside(const Host& host, const std::vector<std::string_view>& unpacked,
                std::set<std::string>& found) {
  std::set<std::string_view> folders;
  for (const std::string_view path : unpacked) folders.insert(folder_of(path));
  std::vector<std::string> all;
  CanonicalPaths canonical(host.root);
  for (const std::string_view folder : folders) {
    // Behind a link lies what is not ours.
    if (folder.empty() || canonical.of(folder) == folder) all.emplace_back(folder);
  }
  std::vector<std::vector<std::string>> each(all.size());
  for_each_index(
      all.size(), [&](std::size_t i) { each[i] = beside_in(host, all[i], unpacked); },
      disk_threads);
  for (std::vector<std::string>& paths : each) {
    for (std::string& path : paths) {
      std::error_code ignored;
      // A link is itself alone: behind it lies what is not ours.
      if (fs::symlink_status(host.join_canonical(path), ignored).type() ==
          fs::file_type::directory) {
        add_subtree(host.join_canonical(path), path, found);
      }
      found.insert(std::move(path));
    }
  }
}

using Members = std::map<std::string, WriteSetMember, std::less<>>;

void add_families(const Host& host, const std::vector<PathFamily>& families, Members& members) {
  for (const PathFamily& family : families) {
    std::set<std::string> found;
    add_of_family(host, family, found);
    for (const std::string& path : found) {
      const auto [at, is_new] = members.try_emplace(path, WriteSetMember{path, family.writing});
      if (!is_new && family.writing == Writing::in_place) at->second.writing = Writing::in_place;
    }
    members.try_emplace(family.directory, WriteSetMember{family.directory});
  }
}

void add_paths(const Host& host, const WriteSet& write_set, Members& members) {
  CanonicalPaths canonical(host.root);
  for (const std::string& path : write_set.paths) {
    const bool is_replaced =
        std::binary_search(write_set.replaced.begin(), write_set.replaced.end(), path);
    std::string place = canonical.of(path);
    const auto [at, is_new] = members.try_emplace(place);
    WriteSetMember& member = at->second;
    if (is_new) member.path = std::move(place);
    // What is said of the very path counts more than what is said of all in a folder.
    if (is_replaced) member.writing = Writing::replaced;
    if (std::binary_search(write_set.unpacked.begin(), write_set.unpacked.end(), path))
      member.is_unpacked = true;
  }
}

void add_folders_above(Members& members) {
  std::set<std::string, std::less<>> folders;
  for (const auto& [path, member] : members) {
    std::string_view folder = folder_of(path);
    while (!folder.empty() && folders.find(folder) == folders.end()) {
      folders.emplace(folder);
      folder = folder_of(folder);
    }
  }
  folders.emplace("/");
  for (const std::string& folder : folders) members.try_emplace(folder, WriteSetMember{folder});
}

}  // namespace

std::vector<WriteSetMember> members_of(const Host& host, const WriteSet& write_set,
                                       const std::vector<PathFamily>& families) {
  Members members;
  add_families(host, families, members);
  add_paths(host, write_set, members);
  std::vector<std::string_view> unpacked;
  for (const auto& [path, member] : members) {
    if (member.is_unpacked) unpacked.push_back(path);
  }
  std::set<std::string> beside;
  add_beside(host, unpacked, beside);
  for (const std::string& path : beside) members.try_emplace(path, WriteSetMember{path});
  add_folders_above(members);
  std::vector<WriteSetMember> sorted;
  sorted.reserve(members.size());
  for (auto& [path, member] : members) {
    if (!is_dpkg_lock(path)) sorted.push_back(std::move(member));
  }
  return sorted;
}

std::vector<std::string> new_paths(const Host& host, const Snapshot& snapshot) {
  std::set<std::string> found;
  for (const PathFamily& family : snapshot.families) add_of_family(host, family, found);
  std::vector<std::string_view> unpacked;
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.is_unpacked) unpacked.push_back(kept.path);
  }
  add_beside(host, unpacked, found);
  // Whatever lies in a folder where none was before is new too: scripts write into the folders
  // of their packages.
  std::vector<char> is_folder(snapshot.paths.size());
  for_each_index(
      snapshot.paths.size(),
      [&](std::size_t i) {
        const KeptPath& kept = snapshot.paths[i];
        is_folder[i] =
            kept.state.type != FileState::Type::directory && is_reached_directly(host, kept.path)
                ? 1
                : 0;
      },
      disk_threads);
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) {
    const std::string& path = snapshot.paths[i].path;
    if (is_folder[i] != 0) add_subtree(host.join_canonical(path), path, found);
  }
  for (const KeptPath& kept : snapshot.paths) found.erase(kept.path);
  std::erase_if(found, is_dpkg_lock);
  return {found.begin(), found.end()};
}

}  // namespace topsctl
