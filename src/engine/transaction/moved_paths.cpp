// Finds moved files by comparing diversions and directories with their earlier state.
#include "topsctl/engine/transaction/moved_paths.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "engine/transaction/change_ownership.hpp"
#include "engine/transaction/undo_paths.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/journal.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using Type = FileState::Type;

class Completion {
 public:
  Completion(const Host& host, Snapshot& snapshot, const fs::path& store,
             const FolderRecord& before, std::int64_t end_ns)
      : host_(host),
        tree_(host.root),
        snapshot_(snapshot),
        store_(store),
        before_(before),
        end_ns_(end_ns) {}

  std::vector<std::string> run() {
    for (const Diversion& diversion : new_diversions()) add_moved(diversion);
    compare_folders();
    add_to_snapshot();
    std::sort(lost_.begin(), lost_.end());
    lost_.erase(std::unique(lost_.begin(), lost_.end()), lost_.end());
    return std::move(lost_);
  }

 private:
  std::vector<Diversion> new_diversions() const {
    const std::string file = concat(dpkg_directory, "/diversions");
    const KeptPath* kept = kept_at(snapshot_, canonical_in_root(host_.root, file));
    if (kept == nullptr) return {};
    std::vector<Diversion> now = read_diversions(host_);
    const std::vector<Diversion> then = parse_diversions(kept_text(*kept, store_));
    std::erase_if(now, [&](const Diversion& each) {
      return std::find(then.begin(), then.end(), each) != then.end();
    });
    return now;
  }

  bool is_known(const std::string& path) const {
    return kept_at(snapshot_, path) != nullptr || added_.contains(path) || moved_.contains(path);
  }

  // A rename sets the change time of the renamed file.
  void add_moved(const Diversion& diversion) {
    const std::string from = canonical_in_root(host_.root, diversion.from);
    const std::string to = canonical_in_root(host_.root, diversion.to);
    const FileStamp look = stamp_of(tree_, to);
    if (look.state.type == Type::absent || look.changed_ns < before_.since_ns ||
        look.changed_ns > end_ns_)
      return;
    if (!is_known(from)) add_origin(from, to, look);
    if (is_known(to)) return;
    if (before_.held(to).value_or(false)) {
      lost_.push_back(to);
      return;
    }
    added_.emplace(to, KeptPath{to, {}});
    add_folders_above(to);
  }

  // The file that was at the diverted path.
  void add_origin(const std::string& from, const std::string& to, const FileStamp& look) {
    if (!before_.held(from).value_or(true)) {
      added_.emplace(from, KeptPath{from, {}});
      return add_folders_above(from);
    }
    const bool is_written = look.state.mtime_ns >= before_.since_ns;
    const FileStamp here = stamp_of(tree_, from);
    const bool is_in_place = here.state.type != Type::absent && here.changed_ns < before_.since_ns;
    if (is_in_place) return;
    if (look.state.type == Type::directory || (is_written && here.state.type != Type::absent)) {
      lost_.push_back(from);
      return;
    }
    if (is_written) lost_.push_back(from);
    moved_.emplace(from, to);
    add_folders_above(from);
  }

  void add_folders_above(const std::string& path) {
    for (fs::path at = fs::path(path).parent_path(); !is_known(at.string());
         at = at.parent_path()) {
      const std::string folder = at.string();
      if (const ListedFolder* listed = before_.at(folder)) {
        add_folder(*listed);
      } else if (before_.held(folder) == false) {
        added_.emplace(folder, KeptPath{folder, {}});
      } else {
        lost_.push_back(folder);  // its time
        return;
      }
    }
  }

  void add_folder(const ListedFolder& listed) {
    KeptPath kept{listed.path, tree_.state(listed.path, Content::ignore)};
    if (kept.state.type != Type::directory) return;
    kept.state.mtime_ns = listed.mtime_ns;
    kept.is_found = true;
    added_.emplace(listed.path, std::move(kept));
  }

  void compare_folders() {
    std::vector<const ListedFolder*> changed;
    std::mutex mutex;
    for_each_index(before_.folders.size(), [&](std::size_t i) {
      const ListedFolder& then = before_.folders[i];
      const std::int64_t changed_ns = change_time_ns(host_.join_canonical(then.path));
      const bool is_gone = changed_ns < 0;
      if (!is_gone && changed_ns < before_.since_ns) return;
      const std::lock_guard guard(mutex);
      changed.push_back(&then);
    });
    for (const ListedFolder* then : changed) {
      if (const auto now = listed_folder(host_, then->path)) {
        compare(*then, *now);
      } else if (is_known(then->path)) {
        // A removed directory counts as empty, and its own name is missing too.
        compare(*then, ListedFolder{then->path, then->mtime_ns, {}});
      }
    }
  }

  // Changes to a directory after the end are foreign.
  void compare(const ListedFolder& then, const ListedFolder& now) {
    if (now.mtime_ns > end_ns_) return;
    if (then.names == now.names) {
      if (then.mtime_ns != now.mtime_ns && !is_known(then.path)) add_folder(then);
      return;
    }
    std::vector<std::string> before = split(then.names, '\0');
    std::vector<std::string> after = split(now.names, '\0');
    for (std::vector<std::string>* names : {&before, &after}) std::erase(*names, std::string());
    std::vector<std::string> differing;
    std::set_symmetric_difference(before.begin(), before.end(), after.begin(), after.end(),
                                  std::back_inserter(differing));
    for (const std::string& name : differing) {
      const std::string path = concat(then.path == "/" ? "" : then.path, "/", name);
      // New entries are found by their time, except those that were moved in with their directory.
      const bool is_seen = change_time_ns(host_.join_canonical(path)) >= before_.since_ns;
      if (!is_seen && !is_known(path) && !is_dpkg_lock(path)) lost_.push_back(path);
    }
  }

  void add_to_snapshot() {
    if (added_.empty() && moved_.empty()) return;
    // A store that was deleted is not created again: the restore reports it.
    if (!has_record(store_)) {
      throw Error(ErrorCode::journal_damaged, "the snapshot has no record", way_out_of_damage());
    }
    std::vector<KeptPath> kept = keep_moved(host_, snapshot_, moved_, store_);
    snapshot_.paths.insert(snapshot_.paths.end(), kept.begin(), kept.end());
    for (auto& [path, added] : added_) snapshot_.paths.push_back(std::move(added));
    std::sort(snapshot_.paths.begin(), snapshot_.paths.end(),
              [](const KeptPath& a, const KeptPath& b) { return a.path < b.path; });
    sync_file_system(store_);
    replace_snapshot_record(snapshot_, store_);
  }

  const Host& host_;
  const FileTree tree_;
  Snapshot& snapshot_;
  const fs::path& store_;
  const FolderRecord& before_;
  const std::int64_t end_ns_;
  std::map<std::string, KeptPath> added_;
  std::map<std::string, std::string> moved_;  // original path and present path
  std::vector<std::string> lost_;
};

}  // namespace

std::vector<std::string> complete_snapshot(const Host& host, Snapshot& snapshot,
                                           const fs::path& store, const FolderRecord& before,
                                           std::int64_t end_ns) {
  return Completion(host, snapshot, store, before, end_ns).run();
}

}  // namespace topsctl
