// Takes snapshots of write sets.
#include "topsctl/engine/snapshot.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/manifest.hpp"
#include "topsctl/host/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* manifest_name = "manifest";

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
  std::error_code ignored;
  return canonical_in_root(host.root, folder, LastLink::follow) == folder &&
         fs::symlink_status(host.literal(folder), ignored).type() == fs::file_type::directory;
}

// What belongs to the families now; their folders are canonical.
std::set<std::string> members(const Host& host, const std::vector<PathFamily>& families) {
  std::set<std::string> found;
  for (const PathFamily& family : families) {
    const std::string& folder = family.directory;
    if (!is_reached_directly(host, folder)) continue;
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
  return found;
}

// Lock files are held while we work: replacing them would let somebody else in.
bool is_lock(const std::string& path) {
  return path.ends_with("/lib/dpkg/lock") || path.ends_with("/lib/dpkg/lock-frontend") ||
         path.ends_with("/lib/dpkg/triggers/Lock");
}

std::set<std::string> all_paths(const Host& host, const WriteSet& write_set,
                                const std::vector<PathFamily>& families) {
  std::set<std::string> paths = members(host, families);
  for (const std::string& path : write_set.paths) paths.insert(canonical_in_root(host.root, path));
  for (const PathFamily& family : families) paths.insert(family.directory);
  std::set<std::string> parents;
  for (const std::string& path : paths) {
    for (fs::path parent = fs::path(path).parent_path(); parents.insert(parent.string()).second;) {
      parent = parent.parent_path();
    }
  }
  paths.merge(parents);
  std::erase_if(paths, is_lock);
  return paths;
}

}  // namespace

FileState state_in_place(const Host& host, const std::string& path, Content content) {
  FileState state = file_state(host.literal(path), content);
  if (state.type == FileState::Type::absent || canonical_in_root(host.root, path) == path)
    return state;
  return {};
}

Snapshot take_snapshot(const Host& host, const WriteSet& write_set, const fs::path& store,
                       WriteSetSummary& summary) {
  Snapshot snapshot;
  for (const PathFamily& family : write_set.families) {
    snapshot.families.push_back(
        {canonical_in_root(host.root, family.directory, LastLink::follow), family.prefix});
  }
  std::map<FileIdentity, std::string> first_names;
  for (const std::string& path : all_paths(host, write_set, snapshot.families)) {
    const fs::path real = host.literal(path);
    KeptPath kept{path, file_state(real, Content::ignore), "", ""};
    if (kept.state.type == FileState::Type::file) {
      const FileIdentity identity = file_identity(real);
      const auto [first, is_new] = first_names.emplace(identity, path);
      if (!is_new) kept.same_file = first->second;
      kept.content = concat("c", snapshot.paths.size());
      kept.state.sha256 = copy_with_digest(real, store / kept.content);
      ++summary.copied;
      summary.bytes += kept.state.size;
    }
    snapshot.paths.push_back(std::move(kept));
  }
  summary.paths = snapshot.paths.size();
  write_snapshot_record(snapshot, store);
  return snapshot;
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
  std::set<std::string> found = members(host, snapshot.families);
  // Whatever lies in a folder where none was before is new too: scripts write into the folders
  // of their packages.
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.state.type == FileState::Type::directory) continue;
    if (is_reached_directly(host, kept.path))
      add_subtree(host.literal(kept.path), kept.path, found);
  }
  for (const KeptPath& kept : snapshot.paths) found.erase(kept.path);
  std::erase_if(found, is_lock);
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
