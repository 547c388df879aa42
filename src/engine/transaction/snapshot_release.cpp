// Compares the backup with the host, and drops the backup of unchanged files.
#include "topsctl/engine/transaction/snapshot_release.hpp"

#include <unistd.h>

#include <set>
#include <string>
#include <vector>

#include "engine/transaction/undo_paths.hpp"
#include "topsctl/engine/transaction/link_seals.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The same inode, or another file with the same content and attributes.
bool is_as_kept(PathCursor& cursor, const KeptPath& kept, const fs::path& store,
                const LinkSeals& seals) {
  const auto inode = cursor.inode(kept.path);
  if (!inode) return kept.state.type == FileState::Type::absent;
  FileState now = inode->state(Content::ignore);
  if (now.type != FileState::Type::file) return now == kept.state;
  now.sha256 = kept.state.sha256;
  if (now != kept.state) return false;
  const bool is_linked = kept.keeping == Keeping::link || kept.keeping == Keeping::both;
  const bool is_the_file = is_linked && inode->identity() == file_identity(link_place(kept, store));
  // The other names must still refer to it.
  if (kept.keeping == Keeping::both && !is_the_file) return false;
  if (kept.keeping == Keeping::link && is_the_file) return !has_broken_seal(kept, store, seals);
  const std::string& before = kept.state.sha256;
  return inode->state(Content::digest).sha256 ==
         (before.empty() ? sha256_of_file(content_place(kept, store)) : before);
}

// A changed source will change its byte code.
void keep_code_of_changed(const Snapshot& snapshot, std::vector<char>& is_unchanged) {
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) {
    if (is_unchanged[i] == 0) continue;
    const KeptPath* source = kept_at(snapshot, source_of_byte_code(snapshot.paths[i].path));
    if (source == nullptr) continue;
    const auto place = static_cast<std::size_t>(source - snapshot.paths.data());
    if (is_unchanged[place] == 0) is_unchanged[i] = 0;
  }
}

}  // namespace

void release_unchanged(const Host& host, Snapshot& snapshot, const fs::path& store) {
  // A file with several names is restored as a whole or not at all.
  std::set<std::string> shared;
  for (const KeptPath& kept : snapshot.paths) {
    if (!kept.same_file.empty()) shared.insert({kept.path, kept.same_file});
  }
  const FileTree tree(host.root);
  const LinkSeals seals = read_link_seals(store);
  std::vector<char> is_unchanged(snapshot.paths.size());
  for_each_range(
      snapshot.paths.size(),
      [&](std::size_t begin, std::size_t end) {
        PathCursor cursor(tree);
        for (std::size_t i = begin; i < end; ++i) {
          const KeptPath& kept = snapshot.paths[i];
          if (kept.state.type == FileState::Type::absent || shared.contains(kept.path)) continue;
          is_unchanged[i] = is_as_kept(cursor, kept, store, seals) ? 1 : 0;
        }
      },
      disk_threads);
  keep_code_of_changed(snapshot, is_unchanged);
  // Restoring a file changes the time of its directory.
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
  // The record is written first: after a power cut, all files that it names must exist.
  replace_snapshot_record(snapshot, store);
  for (const fs::path& content : contents) ::unlink(content.c_str());
}

}  // namespace topsctl
