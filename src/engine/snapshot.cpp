// Takes snapshots of write sets.
#include "topsctl/engine/snapshot.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/manifest.hpp"
#include "topsctl/host/canonical_paths.hpp"
#include "topsctl/host/digest.hpp"
#include "topsctl/host/files.hpp"
#include "topsctl/host/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* manifest_name = "manifest";
// Larger files are kept as links in any case: models and the like, into which no script writes. If
// one does, the restore tells that the file is lost.
constexpr std::uint64_t largest_copy = 256ULL << 20U;

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
  return ::lstat(host.literal_text(folder).c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         canonical_in_root(host.root, folder, LastLink::follow) == folder;
}

// What belongs to a family now; its folder is canonical.
void add_members(const Host& host, const PathFamily& family, std::set<std::string>& found) {
  const std::string& folder = family.directory;
  if (!is_reached_directly(host, folder)) return;
  std::error_code failure;
  for (auto at = fs::directory_iterator(host.literal(folder), failure);
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

// Every path of the write set and the folders above it, and how it is written.
std::map<std::string, Writing> all_paths(const Host& host, const WriteSet& write_set,
                                         const std::vector<PathFamily>& families) {
  std::map<std::string, Writing> paths;
  for (const PathFamily& family : families) {
    std::set<std::string> found;
    add_members(host, family, found);
    for (const std::string& path : found) {
      const auto [at, is_new] = paths.emplace(path, family.writing);
      if (!is_new && family.writing == Writing::in_place) at->second = Writing::in_place;
    }
    paths.emplace(family.directory, Writing::in_place);
  }
  CanonicalPaths canonical(host.root);
  for (const std::string& path : write_set.paths) {
    const bool is_replaced =
        std::binary_search(write_set.replaced.begin(), write_set.replaced.end(), path);
    const auto [at, is_new] =
        paths.emplace(canonical.of(path), is_replaced ? Writing::replaced : Writing::in_place);
    // What is said of the very path counts more than what is said of all in a folder.
    if (!is_new && is_replaced) at->second = Writing::replaced;
  }
  std::set<std::string> parents;
  for (const auto& [path, writing] : paths) {
    for (fs::path parent = fs::path(path).parent_path(); parents.insert(parent.string()).second;) {
      parent = parent.parent_path();
    }
  }
  for (const std::string& parent : parents) paths.emplace(parent, Writing::in_place);
  std::erase_if(paths, [](const auto& entry) { return is_dpkg_lock(entry.first); });
  return paths;
}

// Puts the content of files into stores.
class Keeper {
 public:
  Keeper(const Host& host, const fs::path& store, Snapshot& snapshot, WriteSetSummary& summary)
      : host_(host), store_(store), snapshot_(snapshot), summary_(summary) {}

  void keep(const std::string& path, Writing writing, FileState state,
            const FileIdentity& identity) {
    KeptPath kept{path, std::move(state)};
    if (kept.state.type == FileState::Type::file) {
      keep_file(host_.literal_text(path), identity, writing, kept);
    }
    if (kept.keeping == Keeping::link) snapshot_.unread.insert(path);
    snapshot_.paths.push_back(std::move(kept));
  }

  // What could not be linked: by several threads, since each file may wait for the disk.
  void copy() {
    for_each_index(
        copies_.size(),
        [&](std::size_t i) {
          KeptPath& kept = snapshot_.paths[copies_[i]];
          kept.state.sha256 =
              copy_with_digest(host_.literal_text(kept.path), store_ / kept.content);
        },
        disk_threads);
    for (const auto& [name, first] : further_names_) {
      snapshot_.paths[name].state.sha256 = snapshot_.paths[first].state.sha256;
    }
  }

 private:
  void keep_file(const std::string& real, const FileIdentity& identity, Writing writing,
                 KeptPath& kept) {
    if (identity.links > 1) {
      const auto [first, is_new] =
          first_names_.emplace(std::pair(identity.device, identity.inode), snapshot_.paths.size());
      if (!is_new) {
        kept.same_file = snapshot_.paths[first->second].path;
        further_names_.emplace_back(snapshot_.paths.size(), first->second);
        return;
      }
    }
    kept.content = concat("c", snapshot_.paths.size());
    constexpr unsigned special_bits = 07000;
    const bool is_linked = writing == Writing::replaced || kept.state.size > largest_copy;
    const bool can_be_linked =
        is_linked && identity.links == 1 && (kept.state.mode & special_bits) == 0;
    if (can_be_linked && link(real, Keeping::link, kept)) {
      ++summary_.linked;
      return;
    }
    if (identity.links == 1 || !link(real, Keeping::both, kept)) {
      kept.keeping = Keeping::copy;
    }
    copies_.push_back(snapshot_.paths.size());
    ++summary_.copied;
    summary_.bytes += kept.state.size;
  }

  // A link cannot leave its file system, and not every one has links: then it is copied.
  bool link(const std::string& real, Keeping keeping, KeptPath& kept) {
    kept.keeping = keeping;
    // As link_place says.
    return ::link(real.c_str(), concat(store_.native(), "/l", kept.content).c_str()) == 0;
  }

  const Host& host_;
  const fs::path& store_;
  Snapshot& snapshot_;
  WriteSetSummary& summary_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> first_names_;  // by device, inode
  std::vector<std::pair<std::size_t, std::size_t>> further_names_;  // and the first name of each
  std::vector<std::size_t> copies_;
};

// The very same file, or another of the same content and attributes.
bool is_as_kept(const Host& host, const KeptPath& kept, FileState now, const fs::path& store) {
  if (now.type == FileState::Type::file) {
    now.sha256 = kept.state.sha256;
    if (now != kept.state) return false;
    const bool is_linked = kept.keeping == Keeping::link || kept.keeping == Keeping::both;
    const bool is_the_file = is_linked && file_identity(host.literal(kept.path)) ==
                                              file_identity(link_place(kept, store));
    // Other names must still be names of it.
    if (kept.keeping == Keeping::both && !is_the_file) return false;
    if (kept.keeping == Keeping::link && is_the_file) return true;
    const std::string& before = kept.state.sha256;
    return sha256_of_file(host.literal(kept.path)) ==
           (before.empty() ? sha256_of_file(content_place(kept, store)) : before);
  }
  return now == kept.state;
}

}  // namespace

bool is_dpkg_lock(const std::string& path) {
  return path.ends_with("/lib/dpkg/lock") || path.ends_with("/lib/dpkg/lock-frontend") ||
         path.ends_with("/lib/dpkg/triggers/Lock");
}

FileState state_in_place(const Host& host, const std::string& path, Content content) {
  FileState state = file_state(host.literal_text(path), content);
  if (state.type == FileState::Type::absent || canonical_in_root(host.root, path) == path)
    return state;
  return {};
}

std::vector<FileState> states_in_place(const Host& host, const std::vector<PathToRead>& paths) {
  std::vector<char> is_direct(paths.size());
  CanonicalPaths canonical(host.root);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    is_direct[i] = canonical.of(paths[i].path) == paths[i].path ? 1 : 0;
  }
  std::vector<FileState> states(paths.size());
  for_each_index(
      paths.size(),
      [&](std::size_t i) {
        if (is_direct[i] == 0) return;
        states[i] = file_state(host.literal_text(paths[i].path), paths[i].content);
      },
      disk_threads);
  return states;
}

Snapshot take_snapshot(const Host& host, const WriteSet& write_set, const fs::path& store,
                       WriteSetSummary& summary) {
  Snapshot snapshot;
  for (const PathFamily& family : write_set.families) {
    snapshot.families.push_back({canonical_in_root(host.root, family.directory, LastLink::follow),
                                 family.prefix, family.writing});
  }
  CanonicalPaths canonical(host.root);
  for (const std::string& path : write_set.packed) snapshot.unread.insert(canonical.of(path));
  Keeper keeper(host, store, snapshot, summary);
  const auto found = all_paths(host, write_set, snapshot.families);
  const std::vector<std::pair<std::string, Writing>> paths(found.begin(), found.end());
  std::vector<FileState> states(paths.size());
  std::vector<FileIdentity> identities(paths.size());
  for_each_index(
      paths.size(),
      [&](std::size_t i) {
        const std::string real = host.literal_text(paths[i].first);
        states[i] = file_state(real, Content::ignore);
        identities[i] = file_identity(real);
      },
      disk_threads);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    keeper.keep(paths[i].first, paths[i].second, std::move(states[i]), identities[i]);
  }
  keeper.copy();
  summary.paths = snapshot.paths.size();
  write_snapshot_record(snapshot, store);
  return snapshot;
}

fs::path content_place(const KeptPath& kept, const fs::path& store) {
  return kept.keeping == Keeping::link ? link_place(kept, store) : store / kept.content;
}

fs::path link_place(const KeptPath& kept, const fs::path& store) {
  return store / concat("l", kept.content);
}

void release_unchanged(const Host& host, Snapshot& snapshot, const fs::path& store) {
  // What several names share is put back as a whole or not at all.
  std::set<std::string> shared;
  for (const KeptPath& kept : snapshot.paths) {
    if (!kept.same_file.empty()) shared.insert({kept.path, kept.same_file});
  }
  std::vector<PathToRead> paths;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) {
    const KeptPath& kept = snapshot.paths[i];
    if (kept.state.type == FileState::Type::absent || shared.contains(kept.path)) continue;
    paths.push_back({kept.path, Content::ignore});
    indices.push_back(i);
  }
  std::vector<FileState> now = states_in_place(host, paths);
  std::vector<char> is_unchanged(snapshot.paths.size());
  for_each_index(indices.size(), [&](std::size_t i) {
    const KeptPath& kept = snapshot.paths[indices[i]];
    is_unchanged[indices[i]] = is_as_kept(host, kept, std::move(now[i]), store) ? 1 : 0;
  });
  // What is put back moves the time of its folder.
  std::set<std::string> holding;
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) {
    const KeptPath& kept = snapshot.paths[i];
    if (is_unchanged[i] == 0 && kept.state.type != FileState::Type::absent)
      holding.insert(fs::path(kept.path).parent_path().string());
  }
  std::vector<fs::path> contents;
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) {
    if (holding.contains(snapshot.paths[i].path)) is_unchanged[i] = 0;
    KeptPath& kept = snapshot.paths[i];
    if (is_unchanged[i] == 0) continue;
    if (!kept.content.empty()) contents.push_back(content_place(kept, store));
    if (kept.keeping == Keeping::both) contents.push_back(link_place(kept, store));
    kept.keeping = Keeping::released;
    kept.content.clear();
  }
  // The record goes first: a power cut must find what it names.
  write_durably(store / manifest_name, manifest_text(snapshot), 0600);
  for (const fs::path& content : contents) ::unlink(content.c_str());
}

void write_snapshot_record(const Snapshot& snapshot, const fs::path& store) {
  write_plainly(store / manifest_name, manifest_text(snapshot), 0600);
}

Snapshot load_snapshot(const fs::path& store) {
  const auto text = read_text_if_present(store / manifest_name, 1ULL << 30U);
  if (!text) throw Error(ErrorCode::journal_damaged, "the snapshot has no record");
  return parse_manifest(*text);
}

std::vector<std::string> newcomers(const Host& host, const Snapshot& snapshot) {
  std::set<std::string> found;
  for (const PathFamily& family : snapshot.families) add_members(host, family, found);
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
    if (is_folder[i] != 0) add_subtree(host.literal(path), path, found);
  }
  for (const KeptPath& kept : snapshot.paths) found.erase(kept.path);
  std::erase_if(found, is_dpkg_lock);
  return {found.begin(), found.end()};
}

std::vector<std::string> sync_mounts(const Host& host, const Snapshot& snapshot) {
  std::map<std::uint64_t, std::string> folders;
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.state.type != FileState::Type::directory) continue;
    const std::uint64_t device = file_identity(host.literal(kept.path)).device;
    if (device != 0) folders.emplace(device, kept.path);
  }
  std::vector<std::string> synced;
  for (const auto& [device, folder] : folders) {
    sync_file_system(host.literal(folder));
    synced.push_back(folder);
  }
  return synced;
}

}  // namespace topsctl
