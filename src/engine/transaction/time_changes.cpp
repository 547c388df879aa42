// Compares the backup with the host, ignoring times.
#include "topsctl/engine/transaction/time_changes.hpp"

#include <algorithm>
#include <atomic>

#include "engine/transaction/undo_paths.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The loader cache itself counts as content: programs find their libraries by it.
bool is_bookkeeping(const std::string& path) {
  return changes_by_itself(path) && !is_dpkg_database(path) && path != "/etc/ld.so.cache";
}

bool is_one_file(const FileIdentity& a, const FileIdentity& b) {
  return a.device == b.device && a.inode == b.inode;
}

// Whether the path has the same hard links as before, either unchanged or replaced together.
bool has_same_names(const FileTree& tree, const KeptPath& kept, const FileIdentity& now,
                    const fs::path& store) {
  if (!kept.same_file.empty()) return is_one_file(now, tree.identity(kept.same_file));
  if (kept.keeping == Keeping::both) {
    const FileIdentity before = file_identity(link_place(kept, store).string());
    // If only our link is left, all of its names were replaced.
    return is_one_file(now, before) || before.links == 1;
  }
  if (kept.keeping != Keeping::link) return now.links == 1;
  const FileIdentity before = file_identity(link_place(kept, store).string());
  return now.links == (is_one_file(now, before) ? 2 : 1);
}

// All but the content of files.
bool has_same_attributes(const FileTree& tree, const KeptPath& kept, const fs::path& store) {
  FileIdentity identity;
  FileState now = tree.state(kept.path, Content::ignore, &identity);
  now.mtime_ns = kept.state.mtime_ns;
  if (!agree(now, kept.state)) return false;
  return now.type != FileState::Type::file || has_same_names(tree, kept, identity, store);
}

bool has_same_content(const FileTree& tree, const KeptPath& kept, const fs::path& store) {
  if (kept.state.type != FileState::Type::file) return true;
  const std::string& known = kept.state.sha256;
  if (known.empty()) {
    const fs::path place = content_place(kept, store);
    FileIdentity identity;
    const FileState now = tree.state(kept.path, Content::ignore, &identity);
    // If a linked file was written in place, its old content is lost.
    if (is_one_file(identity, file_identity(place.string()))) return now == kept.state;
    return tree.state(kept.path, Content::digest).sha256 == sha256_of_file(place);
  }
  return tree.state(kept.path, Content::digest).sha256 == known;
}

}  // namespace

bool may_change_nothing(const Plan& plan) {
  const auto changes = [](const PlannedPackage& package) {
    return package.action != PackageAction::keep && package.action != PackageAction::reinstall;
  };
  return !plan.packages.empty() &&
         std::none_of(plan.packages.begin(), plan.packages.end(), changes);
}

bool differs_in_times_alone(const Host& host, const Snapshot& snapshot,
                            const std::vector<std::string>& new_paths, const fs::path& store) {
  if (!std::all_of(new_paths.begin(), new_paths.end(), is_bookkeeping)) return false;
  const FileTree tree(host.root);
  const auto all_are = [&](const auto& is_same) {
    std::atomic<bool> differs = false;
    for_each_index(
        snapshot.paths.size(),
        [&](std::size_t i) {
          const KeptPath& kept = snapshot.paths[i];
          if (!differs && !is_bookkeeping(kept.path) && !is_same(tree, kept, store)) differs = true;
        },
        disk_threads);
    return !differs;
  };
  // Files are read only if nothing else differs.
  return all_are(has_same_attributes) && all_are(has_same_content);
}

}  // namespace topsctl
