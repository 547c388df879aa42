// Plans the rollback of an interrupted transaction: separates its own changes from foreign ones.
#include "topsctl/engine/transaction/interrupted_undo.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "engine/transaction/change_ownership.hpp"
#include "engine/transaction/dpkg_merge.hpp"
#include "engine/transaction/undo_paths.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/folder_record.hpp"
#include "topsctl/engine/transaction/garbage_collection.hpp"
#include "topsctl/engine/transaction/last_active.hpp"
#include "topsctl/engine/transaction/moved_paths.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using PathType = FileState::Type;

// Whether a rollback with an undo plan was interrupted: then that plan is the target state, and
// later changes are foreign.
bool has_announced_undo(const Transaction& transaction) {
  if (transaction.records.empty()) return false;
  const JournalRecord& last = transaction.records.back();
  return last.state == TransactionState::committed ||
         (last.state == TransactionState::restoring && last.details.value("undo", false));
}

Snapshot target_state_of(const Host& host, const Transaction& transaction, const fs::path& store) {
  if (!has_announced_undo(transaction)) return load_snapshot(store);
  try {
    return load_undo(host, transaction);
  } catch (const Error&) {
    if (transaction.was_committed()) throw;
    return load_snapshot(store);  // restored from its store: the plan is damaged
  }
}

bool was_loader_cache_left(const Host& host, const Transaction& transaction) {
  if (!has_announced_undo(transaction)) return false;
  const JournalRecord& last = transaction.records.back();
  if (last.state == TransactionState::committed) return leaves_loader_cache(host, transaction);
  return last.details.value("loader_cache", false);
}

class InterruptedUndo {
 public:
  // `target_state`: the state to restore.
  InterruptedUndo(const Host& host, const Transaction& transaction, std::int64_t end_ns,
                  Snapshot target_state)
      : host_(host),
        tree_(host.root),
        store_(host.resolve(transaction.folder) / snapshot_folder),
        target_state_(std::move(target_state)),
        own_(host, transaction, target_state_, store_, end_ns),
        was_loader_cache_left_(was_loader_cache_left(host, transaction)) {}

  UndoPlan make() {
    undo_.rebuild_loader_cache = was_loader_cache_left_;
    if (!target_state_.debs) {
      undo_.snapshot = std::move(target_state_);
      return std::move(undo_);
    }
    undo_.snapshot.debs = target_state_.debs;
    std::vector<FileStamp> looks(target_state_.paths.size());
    for_each_index(
        looks.size(),
        [&](std::size_t i) { looks[i] = stamp_of(tree_, target_state_.paths[i].path); },
        disk_threads);
    for (std::size_t i = 0; i < looks.size(); ++i) {
      if (target_state_.paths[i].keeping != Keeping::released)
        add(target_state_.paths[i], looks[i]);
    }
    for (const std::string& path : new_paths(host_, target_state_)) add_newcomer(path);
    leave_folders_of_others();
    std::sort(undo_.snapshot.paths.begin(), undo_.snapshot.paths.end(),
              [](const KeptPath& a, const KeptPath& b) { return a.path < b.path; });
    std::sort(undo_.kept_of_others.begin(), undo_.kept_of_others.end());
    return std::move(undo_);
  }

 private:
  void add(KeptPath kept, const FileStamp& look) {
    const bool is_unpacked = kept.is_unpacked;
    kept.is_unpacked = false;  // files that dpkg left beside it are among the new paths
    if (kept.state.type == PathType::directory && look.state.type == PathType::directory) {
      // Another program has added or removed an entry, and may do so again, like ldconfig(8).
      const bool is_others_too = look.state.mtime_ns > own_.end_ns();
      if (is_others_too) kept.state.mtime_ns = look.state.mtime_ns;
      if (!is_others_too || kept.state != look.state)
        undo_.snapshot.paths.push_back(std::move(kept));
    } else if (agree(look.state, kept.state) || is_shared(kept)) {
      undo_.snapshot.paths.push_back(std::move(kept));
    } else if (is_dpkg_database(kept.path)) {
      merge(std::move(kept), look);
    } else {
      const Owner owner = own_.owner(kept, look, is_unpacked);
      take(owner, std::move(kept));
    }
  }

  void take(Owner owner, KeptPath kept) {
    if (owner == Owner::nobody) {
      if (is_loader_cache(kept.path)) undo_.rebuild_loader_cache = true;
      return;
    }
    if (owner == Owner::others) {
      undo_.kept_of_others.push_back(kept.path);
      return;
    }
    if (owner == Owner::both) undo_.conflicts.push_back(kept.path);
    undo_.snapshot.paths.push_back(std::move(kept));
  }

  // A file with several names is restored as a whole.
  bool is_shared(const KeptPath& kept) {
    if (shared_.empty()) {
      shared_.insert("");
      for (const KeptPath& each : target_state_.paths) shared_.insert(each.same_file);
    }
    return !kept.same_file.empty() || shared_.contains(kept.path);
  }

  void merge(KeptPath kept, const FileStamp& look) {
    if (look.state.type != PathType::file) {
      undo_.snapshot.paths.push_back(std::move(kept));
      return;
    }
    const std::string before = kept_text(kept, store_);
    std::string text = own_.without(kept.path, before, look, undo_.conflicts);
    if (text == before) {
      undo_.snapshot.paths.push_back(std::move(kept));
      return;
    }
    undo_.kept_of_others.push_back(kept.path);
    KeptPath made{kept.path, look.state};
    made.state.sha256 = sha256_of(text);
    made.state.size = text.size();
    made.keeping = Keeping::copy;
    made.content = concat("merged-", next_merged_name() + undo_.merged.size());
    undo_.merged.emplace(made.content, std::move(text));
    undo_.snapshot.paths.push_back(std::move(made));
  }

  // The earlier announced plan stays intact until this one is complete.
  std::size_t next_merged_name() const {
    std::size_t next = 0;
    while (file_state((store_ / concat("merged-", next)).string(), Content::ignore).type !=
           PathType::absent)
      ++next;
    return next;
  }

  void add_newcomer(const std::string& path) {
    const FileStamp look = stamp_of(tree_, path);
    if (look.state.type == PathType::absent) return;
    if (own_.created_by_us(path, look)) {
      undo_.snapshot.paths.push_back({path, {}});
    } else {
      undo_.kept_of_others.push_back(path);
    }
  }

  // A new directory stays if it has files of other programs.
  void leave_folders_of_others() {
    std::set<std::string> above;
    for (const std::string& path : undo_.kept_of_others) {
      for (fs::path at = fs::path(path).parent_path(); above.insert(at.string()).second;)
        at = at.parent_path();
    }
    std::erase_if(undo_.snapshot.paths, [&](const KeptPath& kept) {
      return kept.state.type == PathType::absent && above.contains(kept.path);
    });
  }

  const Host& host_;
  const FileTree tree_;
  const fs::path store_;
  Snapshot target_state_;
  ChangeOwnership own_;
  const bool was_loader_cache_left_;
  std::set<std::string> shared_;
  UndoPlan undo_;
};

}  // namespace

UndoPlan plan_undo_of_interrupted(const Host& host, const Transaction& transaction,
                                  std::int64_t end_ns) {
  const fs::path folder = host.resolve(transaction.folder);
  const fs::path store = folder / snapshot_folder;
  remove_working_folders(folder);  // the disk may be full of them
  Snapshot target_state = target_state_of(host, transaction, store);
  std::vector<std::string> lost;
  const auto before = load_folder_record(store);
  // An announced plan was made while the backup was complete.
  if (before && !has_announced_undo(transaction))
    lost = complete_snapshot(host, target_state, store, *before, end_ns);
  UndoPlan undo = InterruptedUndo(host, transaction, end_ns, std::move(target_state)).make();
  undo.lost = std::move(lost);
  return undo;
}

std::vector<std::string> conflicts_of_interrupted(const Host& host,
                                                  const Transaction& transaction) {
  const fs::path store = host.resolve(transaction.folder) / snapshot_folder;
  return InterruptedUndo(host, transaction, end_of_work_ns(host, transaction),
                         target_state_of(host, transaction, store))
      .make()
      .conflicts;
}

}  // namespace topsctl
