// Works out the undo of a transaction from the states before it, after it, and now.
#include "topsctl/engine/transaction/undo_plan.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>

#include "engine/transaction/dpkg_merge.hpp"
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

// The rest of a path in dpkg's folder; nothing for any other.
std::optional<std::string> in_dpkg(const std::string& path) {
  constexpr std::string_view folder = "/lib/dpkg/";
  const auto found = path.find(folder);
  if (found == std::string::npos) return std::nullopt;
  return path.substr(found + folder.size());
}

// Files to which every package adds its own records.
bool is_database(const std::string& path) {
  const auto rest = in_dpkg(path);
  return rest && (*rest == "status" || *rest == "diversions" || *rest == "statoverride" ||
                  *rest == "triggers/File");
}

bool is_loader_cache(const std::string& path) {
  return path.starts_with("/etc/ld.so.cache") || path.find("/cache/ldconfig/") != std::string::npos;
}

bool is_byte_code(const std::string& path) {
  return path.ends_with(".pyc") || path.ends_with("/__pycache__");
}

// dpkg's bookkeeping beside its databases, and the loader's cache, change with every package; byte
// code appears by mere use.
bool changes_by_itself(const std::string& path) {
  if (const auto rest = in_dpkg(path)) {
    return rest->ends_with("-old") || *rest == "available" || rest->starts_with("triggers/") ||
           rest->starts_with("updates/");
  }
  return is_byte_code(path) || is_loader_cache(path);
}

const KeptPath* find(const Snapshot& snapshot, const std::string& path) {
  const auto found =
      std::lower_bound(snapshot.paths.begin(), snapshot.paths.end(), path,
                       [](const KeptPath& kept, const std::string& p) { return kept.path < p; });
  return found == snapshot.paths.end() || found->path != path ? nullptr : &*found;
}

// Throws Error{journal_damaged} unless it is what was kept.
std::string text_of(const KeptPath& file, const fs::path& store) {
  if (file.content.empty()) return {};
  std::string text = read_text_if_present(content_place(file, store)).value_or("");
  if (!file.state.sha256.empty() && sha256_of(text) != file.state.sha256) {
    throw Error(ErrorCode::journal_damaged,
                format("the kept copy of {} is missing or damaged", in_quotes(file.path)),
                std::string(way_out_of_damage));
  }
  return text;
}

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
    for (const KeptPath& kept : before_.paths) {
      if (kept.keeping != Keeping::released) add(kept);
    }
    for (const KeptPath& left : after_.paths) {
      if (find(before_, left.path) == nullptr && left.state.type != FileType::absent)
        add({left.path, {}});
    }
    std::sort(undo_.snapshot.paths.begin(), undo_.snapshot.paths.end(),
              [](const KeptPath& a, const KeptPath& b) { return a.path < b.path; });
    find_strangers();
    return std::move(undo_);
  }

 private:
  void add(KeptPath kept) {
    // What lies beside it now is of later packages; what this transaction left there was recorded.
    kept.is_unpacked = false;
    const KeptPath* left = find(after_, kept.path);
    if (left == nullptr) {
      throw Error(ErrorCode::journal_damaged,
                  format("the record of the transaction's end lacks {}", in_quotes(kept.path)),
                  "nothing was changed now");
    }
    const FileState& now = states_[static_cast<std::size_t>(left - after_.paths.data())];
    if (is_left_alone(kept.path, now, left->state) || agree(now, kept.state)) {
      undo_.snapshot.paths.push_back(std::move(kept));
    } else if (is_database(kept.path)) {
      merge(std::move(kept), *left, now);
    } else if (kept.state.type == FileType::absent && is_byte_code(kept.path)) {
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

  // Of dpkg's databases the content matters: dpkg writes them anew whatever happens.
  static bool is_left_alone(const std::string& path, const FileState& now, const FileState& then) {
    if (is_database(path) && now.type == then.type) return now.sha256 == then.sha256;
    return agree(now, then);
  }

  // The time of a folder moves with everything in it; owner and mode do not.
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
      return;
    }
    const std::string before = text_of(kept, folder_ / snapshot_folder);
    const std::string after = text_of(left, folder_ / after_folder);
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
    undo_.notes.push_back(format("{}: what others have changed since stays as it is", kept.path));
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

  // What lies in folders that go, and was not there at the transaction's end.
  void find_strangers() {
    for (const std::string& path : new_paths(now_.host(), undo_.snapshot)) {
      if (find(after_, path) == nullptr && !changes_by_itself(path) &&
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
    if (!is_database(kept.path) || kept.state.type != FileType::file) continue;
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
  std::error_code ignored;
  fs::remove_all(folder / undo_folder, ignored);
  if (::mkdir((folder / undo_folder).c_str(), 0700) != 0) {
    throw system_error(errno, "make folder", (folder / undo_folder).string());
  }
  write_snapshot_record(undo.snapshot, folder / undo_folder);
  sync_file_system(store);
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
    const KeptPath* left = find(after, kept.path);
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
           find(undo, kept.path) == nullptr;
  });
}

Snapshot load_undo(const Host& host, const Transaction& transaction) {
  return load_snapshot(host.resolve(transaction.folder) / undo_folder);
}

}  // namespace topsctl
