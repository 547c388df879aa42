// Lists the paths that write sets mean.
#include "topsctl/engine/transaction/write_set_expansion.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/filesystem/canonical_paths.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// Stays on one file system: other mounts are not part of the set. Does not follow links, whose
// targets are not part of it either.
void add_subtree(const FileTree& tree, const std::string& folder, std::set<std::string>& found) {
  for (const ListedName& listed : tree.list(folder)) {
    const std::string path = concat(folder, "/", listed.name);
    found.insert(path);
    if (listed.is_folder && !listed.is_mount) add_subtree(tree, path, found);
  }
}

bool is_mount(const FileTree& tree, const std::string& folder) {
  return tree.identity(folder).device !=
         tree.identity(fs::path(folder).parent_path().native()).device;
}

// The directory of a canonical path; empty for the root directory or an empty path.
std::string_view folder_of(std::string_view path) {
  return path.substr(0, std::min(path.rfind('/'), path.size()));
}

// The present members of a family; its directory is canonical.
void add_of_family(const FileTree& tree, const PathFamily& family, std::set<std::string>& found) {
  const std::string& folder = family.directory;
  for (const ListedName& listed : tree.list(folder)) {
    if (!listed.name.starts_with(family.prefix) || (family.prefix.empty() && listed.is_folder))
      continue;
    const std::string path = concat(folder == "/" ? "" : folder, "/", listed.name);
    found.insert(path);
    if (listed.is_folder && !listed.is_mount) add_subtree(tree, path, found);
  }
}

// Files with dpkg's suffixes beside those of the sorted paths that lie in this directory, and the
// content of such directories.
void add_beside_in(const FileTree& tree, const std::string& folder,
                   const std::vector<std::string_view>& unpacked, std::set<std::string>& found) {
  for (const ListedName& listed : tree.list(folder.empty() ? "/" : folder)) {
    const std::string_view bare = path_beside(listed.name);
    if (bare.empty()) continue;
    if (!std::binary_search(unpacked.begin(), unpacked.end(), concat(folder, "/", bare))) continue;
    const std::string path = concat(folder, "/", listed.name);
    if (listed.is_folder && !listed.is_mount) add_subtree(tree, path, found);
    found.insert(path);
  }
}

// The same for all sorted paths: lists each directory once, because most have no such file.
void add_beside(const FileTree& tree, const std::vector<std::string_view>& unpacked,
                std::set<std::string>& found) {
  std::set<std::string> folders;
  for (const std::string_view path : unpacked) folders.emplace(folder_of(path));
  const std::vector<std::string> all(folders.begin(), folders.end());
  std::vector<std::set<std::string>> each(all.size());
  for_each_index(
      all.size(), [&](std::size_t i) { add_beside_in(tree, all[i], unpacked, each[i]); },
      disk_threads);
  for (std::set<std::string>& paths : each) found.merge(paths);
}

// Packages own nothing on the kernel's own file systems (base-files has /sys), and even reading
// them may change times.
class KernelFolders {
 public:
  explicit KernelFolders(const FileTree& tree) {
    for (const char* folder : {"/dev", "/proc", "/sys"}) {
      if (tree.identity(folder).inode != 0 && is_mount(tree, folder)) mounted_.emplace_back(folder);
    }
  }
  bool have(const std::string& path) const {
    return std::any_of(mounted_.begin(), mounted_.end(), [&](const std::string& folder) {
      return path.starts_with(folder) &&
             (path.size() == folder.size() || path[folder.size()] == '/');
    });
  }

 private:
  std::vector<std::string> mounted_;
};

using Members = std::map<std::string, WriteSetMember, std::less<>>;

void add_families(const FileTree& tree, const std::vector<PathFamily>& families, Members& members) {
  for (const PathFamily& family : families) {
    std::set<std::string> found;
    add_of_family(tree, family, found);
    for (const std::string& path : found) {
      const auto [at, is_new] =
          members.try_emplace(path, WriteSetMember{path, family.writing, false, true});
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
    if (!std::binary_search(write_set.possible.begin(), write_set.possible.end(), path))
      member.is_found = false;
    else if (is_new)
      member.is_found = true;
    // Attributes of the exact path override those of its family.
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
  const FileTree tree(host.root);
  Members members;
  add_families(tree, families, members);
  add_paths(host, write_set, members);
  std::vector<std::string_view> unpacked;
  for (const auto& [path, member] : members) {
    if (member.is_unpacked) unpacked.push_back(path);
  }
  std::set<std::string> beside;
  add_beside(tree, unpacked, beside);
  for (const std::string& path : beside) members.try_emplace(path, WriteSetMember{path});
  add_folders_above(members);
  std::vector<WriteSetMember> sorted;
  sorted.reserve(members.size());
  const KernelFolders of_kernel(tree);
  for (auto& [path, member] : members) {
    if (!is_dpkg_lock(path) && !of_kernel.have(path)) sorted.push_back(std::move(member));
  }
  return sorted;
}

std::vector<std::string> new_paths(const Host& host, const Snapshot& snapshot) {
  const FileTree tree(host.root);
  std::set<std::string> found;
  for (const PathFamily& family : snapshot.families) add_of_family(tree, family, found);
  std::vector<std::string_view> unpacked;
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.is_unpacked) unpacked.push_back(kept.path);
  }
  add_beside(tree, unpacked, found);
  // Everything in a new directory is new too: scripts write into the directories of their packages.
  std::vector<char> is_folder(snapshot.paths.size());
  const auto look = [&](PathCursor& cursor, std::size_t i) {
    const auto inode = cursor.inode(snapshot.paths[i].path);
    is_folder[i] = inode && S_ISDIR(inode->status().st_mode) ? 1 : 0;
  };
  for_each_range(
      snapshot.paths.size(),
      [&](std::size_t begin, std::size_t end) {
        PathCursor cursor(tree);
        for (std::size_t i = begin; i < end; ++i) {
          const FileState::Type before = snapshot.paths[i].state.type;
          if (before != FileState::Type::directory && before != FileState::Type::absent)
            look(cursor, i);
        }
      },
      disk_threads);
  PathCursor cursor(tree);
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) {
    const KeptPath& kept = snapshot.paths[i];
    // The paths are sorted: entries of a new directory were found with it.
    if (kept.state.type == FileState::Type::absent && !found.contains(kept.path)) look(cursor, i);
    if (is_folder[i] != 0 && !is_mount(tree, kept.path)) add_subtree(tree, kept.path, found);
  }
  for (const KeptPath& kept : snapshot.paths) found.erase(kept.path);
  std::erase_if(found, is_dpkg_lock);
  return {found.begin(), found.end()};
}

}  // namespace topsctl
