// Computes the undo plan of a transaction from the states before it, after it, and now.
#include "topsctl/engine/transaction/undo_plan.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "engine/transaction/dpkg_merge.hpp"
#include "engine/transaction/undo_paths.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using FileType = FileState::Type;

class UndoMaker {
 public:
  UndoMaker(const ProjectedState& now, const Transaction& transaction)
      : now_(now), folder_(now.host().resolve(transaction.folder)) {
    before_ = load_snapshot(folder_ / snapshot_folder);
    after_ = load_snapshot(folder_ / after_folder);
    states_.resize(after_.paths.size());
    for_each_index(
        after_.paths.size(),
        [&](std::size_t i) {
          const bool was_read = !after_.paths[i].state.sha256.empty();
          states_[i] =
              now_.state(after_.paths[i].path, was_read ? Content::digest : Content::ignore);
        },
        disk_threads);
  }

  UndoPlan make() {
    undo_.snapshot.debs = before_.debs;
    for (const KeptPath& kept : before_.paths) {
      if (kept.keeping != Keeping::released) add(kept);
    }
    for (const KeptPath& left : after_.paths) {
      if (kept_at(before_, left.path) == nullptr && left.state.type != FileType::absent)
        add({left.path, {}});
    }
    std::sort(undo_.snapshot.paths.begin(), undo_.snapshot.paths.end(),
              [](const KeptPath& a, const KeptPath& b) { return a.path < b.path; });
    find_strangers();
    return std::move(undo_);
  }

 private:
  void add(KeptPath kept) {
    // Files beside it now belong to later packages; files that this transaction left there were
    // recorded.
    kept.is_unpacked = false;
    const KeptPath* left = kept_at(after_, kept.path);
    if (left == nullptr) {
      throw Error(ErrorCode::journal_damaged,
                  format("the final record of the transaction lacks {}", in_quotes(kept.path)),
                  "nothing was changed");
    }
    const FileState& now = states_[static_cast<std::size_t>(left - after_.paths.data())];
    if (is_left_alone(kept.path, now, left->state) || agree(now, kept.state)) {
      undo_.snapshot.paths.push_back(std::move(kept));
    } else if (is_dpkg_database(kept.path)) {
      merge(std::move(kept), *left, now);
    } else if (is_byte_code(kept.path) &&
               (kept.state.type == FileType::absent || is_code_of_kept(before_, kept.path))) {
      undo_.snapshot.paths.push_back(std::move(kept));
    } else if (changes_by_itself(kept.path)) {
      if (is_loader_cache(kept.path)) undo_.rebuild_loader_cache = true;
    } else if (now.type == FileType::directory && left->state.type == FileType::directory) {
      add_folder(std::move(kept), left->state, now);
    } else {
      undo_.conflicts.push_back(kept.path);
      undo_.snapshot.paths.push_back(std::move(kept));
    }
  }

  // For dpkg's databases only the content counts: dpkg always rewrites them.
  static bool is_left_alone(const std::string& path, const FileState& now, const FileState& then) {
    if (is_dpkg_database(path) && now.type == then.type) return now.sha256 == then.sha256;
    return agree(now, then);
  }

  // Every change in a directory sets its time, but not its owner and mode.
  void add_folder(KeptPath kept, FileState left, const FileState& now) {
    left.mtime_ns = now.mtime_ns;
    if (left != now) undo_.conflicts.push_back(kept.path);
    if (kept.state.type == FileType::directory && left == now) {
      kept.state.mtime_ns = now.mtime_ns;
      if (kept.state == now) return;
    }
    undo_.snapshot.paths.push_back(std::move(kept));
  }

  void merge(KeptPath kept, const KeptPath& left, const FileState& now) {
    const bool has_texts = left.state.type == FileType::absent || !left.content.empty();
    if (!has_texts || now.type != FileType::file) {
      undo_.conflicts.push_back(kept.path);
      undo_.snapshot.paths.push_back(std::move(kept));
      return;
    }
    const std::string before = kept_text(kept, folder_ / snapshot_folder);
    const std::string after = kept_text(left, folder_ / after_folder);
    const std::string current = now_.text(kept.path);
    std::string merged;
    if (in_dpkg(kept.path) == "status") {
      DpkgMerge merge = merged_status(before, after, current);
      for (const std::string& package : merge.conflicts)
        undo_.conflicts.push_back(format("package {}", package));
      merged = std::move(merge.text);
    } else {
      merged = merged_records(before, after, current, in_dpkg(kept.path) == "diversions" ? 3 : 1);
    }
    undo_.notes.push_back(format("{}: later changes by others stay as they are", kept.path));
    if (merged.empty() && kept.state.type == FileType::absent) {
      undo_.snapshot.paths.push_back(std::move(kept));
      return;
    }
    KeptPath made{kept.path, now};
    made.state.sha256 = sha256_of(merged);
    made.state.size = merged.size();
    made.keeping = Keeping::copy;
    made.content = concat("merged-", undo_.merged.size());
    undo_.merged.emplace(made.content, std::move(merged));
    undo_.snapshot.paths.push_back(std::move(made));
  }

  // Files in removed directories that did not exist at the transaction's end.
  void find_strangers() {
    for (const std::string& path : new_paths(now_.host(), undo_.snapshot)) {
      if (kept_at(after_, path) == nullptr && !changes_by_itself(path) &&
          now_.state(path, Content::ignore).type != FileType::absent) {
        undo_.conflicts.push_back(path);
      }
    }
  }

  const ProjectedState& now_;
  fs::path folder_;
  Snapshot before_;
  Snapshot after_;
  std::vector<FileState> states_;  // of the paths of after_, now
  UndoPlan undo_;
};

}  // namespace

FileState ProjectedState::state(const std::string& path, Content content) const {
  const auto found = pretended_.find(path);
  return found == pretended_.end() ? state_in_place(host_, path, content) : found->second.state;
}

std::string ProjectedState::text(const std::string& path) const {
  const auto found = pretended_.find(path);
  if (found == pretended_.end()) return read_text(host_.join_canonical(path));
  return found->second.content.empty() ? found->second.text : read_text(found->second.content);
}

void ProjectedState::pretend(const UndoPlan& undo, const Transaction& transaction) {
  const fs::path store = host_.resolve(transaction.folder) / snapshot_folder;
  for (const std::string& path : new_paths(host_, undo.snapshot)) pretended_[path] = {};
  for (const KeptPath& kept : undo.snapshot.paths) {
    Pretended made{kept.state, {}, {}};
    const auto merged = undo.merged.find(kept.content);
    if (merged != undo.merged.end()) {
      made.text = merged->second;
    } else if (!kept.content.empty()) {
      made.content = content_place(kept, store);
    }
    pretended_[kept.path] = std::move(made);
  }
}

void record_state_after(const Host& host, const Snapshot& before,
                        const std::vector<std::string>& new_paths, const fs::path& store) {
  std::vector<PathToRead> paths;
  for (const std::string& path : new_paths) paths.push_back({path});
  for (const KeptPath& kept : before.paths) {
    if (kept.keeping == Keeping::released) continue;
    const bool is_unread = before.unread.contains(kept.path);
    paths.push_back({kept.path, is_unread ? Content::ignore : Content::digest});
  }
  std::sort(paths.begin(), paths.end(),
            [](const PathToRead& a, const PathToRead& b) { return a.path < b.path; });
  std::vector<FileState> states = states_in_place(host, paths);
  Snapshot after;
  after.families = before.families;
  after.paths.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    after.paths.push_back({std::move(paths[i].path), std::move(states[i])});
  }
  const FileTree tree(host.root);
  for (KeptPath& kept : after.paths) {
    if (!is_dpkg_database(kept.path) || kept.state.type != FileType::file) continue;
    kept.keeping = Keeping::copy;
    kept.content = concat("c", &kept - after.paths.data());
    keep_copy(tree, kept, store);
  }
  write_snapshot_record(after, store);
}

UndoPlan undo_of(const ProjectedState& now, const Transaction& transaction) {
  return UndoMaker(now, transaction).make();
}

void write_undo(const Host& host, const UndoPlan& undo, const Transaction& transaction) {
  const fs::path folder = host.resolve(transaction.folder);
  const fs::path store = folder / snapshot_folder;
  for (const auto& [name, text] : undo.merged) write_plainly(store / name, text, 0600);
  sync_file_system(store);
  make_directories(folder / undo_folder, 0700);
  // Replaces a plan that was announced before, of an interrupted rollback.
  replace_snapshot_record(undo.snapshot, folder / undo_folder);
}

bool is_undo_cut_off(const Host& host, const Transaction& transaction) {
  return transaction.state() == TransactionState::committed && has_undo_begun(host, transaction);
}

bool has_undo_begun(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.resolve(transaction.folder);
  if (!has_record(folder / undo_folder)) return false;
  Snapshot undo;
  Snapshot after;
  try {
    undo = load_snapshot(folder / undo_folder);
    after = load_snapshot(folder / after_folder);
  } catch (const Error&) {
    return false;  // it is announced after it was synced
  }
  return std::any_of(undo.paths.begin(), undo.paths.end(), [&](const KeptPath& kept) {
    const KeptPath* left = kept_at(after, kept.path);
    if (left == nullptr || agree(left->state, kept.state)) return false;
    const FileState now = state_in_place(host, kept.path, Content::ignore);
    if (now.type == FileType::directory && kept.state.type == FileType::directory)
      return left->state.type != FileType::directory;
    return agree(now, kept.state) &&
           (now.type != FileType::file ||
            agree(state_in_place(host, kept.path, Content::digest), kept.state));
  });
}

bool leaves_loader_cache(const Host& host, const Transaction& transaction) {
  const Snapshot before = load_snapshot(host.resolve(transaction.folder) / snapshot_folder);
  const Snapshot undo = load_undo(host, transaction);
  return std::any_of(before.paths.begin(), before.paths.end(), [&](const KeptPath& kept) {
    return kept.keeping != Keeping::released && is_loader_cache(kept.path) &&
           kept_at(undo, kept.path) == nullptr;
  });
}

Snapshot load_undo(const Host& host, const Transaction& transaction) {
  return load_snapshot(host.resolve(transaction.folder) / undo_folder);
}

}  // namespace topsctl
