// Restores a snapshot, and compares the host with it.
#include "topsctl/engine/transaction/snapshot_restore.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using Type = FileState::Type;

class Restorer {
 public:
  Restorer(const Host& host, const Snapshot& snapshot, const fs::path& store,
           const KeptContents& contents)
      : host_(host), tree_(host.root), snapshot_(snapshot), store_(store), contents_(contents) {}

  std::vector<RestoreFailure> run() {
    remove_unfinished();
    remove_what_was_not_there();
    put_all_back();
    // Last, because every change in a directory sets its time.
    for (auto kept = snapshot_.paths.rbegin(); kept != snapshot_.paths.rend(); ++kept) {
      if (kept->state.type == Type::directory && kept->keeping != Keeping::released) {
        put_attributes_back(*kept);
      }
    }
    std::sort(failures_.begin(), failures_.end(),
              [](const auto& a, const auto& b) { return a.line < b.line; });
    return std::move(failures_);
  }

 private:
  fs::path content(const KeptPath& kept) const { return content_place(kept, store_); }

  void note_failure(const std::string& path, const std::string& why, bool is_passing = false) {
    const std::lock_guard lock(mutex_);
    failures_.push_back({concat(printable(path), ": ", why), is_passing});
  }

  void note_failure(const std::string& path, const Error& error) {
    note_failure(path, error.message(), topsctl::is_passing(error.code()));
  }

  void remove(const std::string& path) {
    try {
      const auto entry = tree_.find(path);
      const int reason = entry ? entry->remove() : 0;
      if (reason == ENOTEMPTY)
        note_failure(path, "the directory contains files that the transaction did not create");
      else if (reason != 0)
        note_failure(path, system_error(reason, "remove", path));
    } catch (const Error& error) {
      note_failure(path, error);
    }
  }

  // Temporary files that an interrupted restore left in directories that it wrote into.
  void remove_unfinished() {
    std::set<std::string> folders;
    for (const KeptPath& kept : snapshot_.paths) {
      if (!kept.content.empty() || kept.state.type == Type::symlink ||
          kept.state.type == Type::special || !kept.same_file.empty())
        folders.insert(fs::path(kept.path).parent_path().native());
    }
    const std::vector<std::string> all(folders.begin(), folders.end());
    for_each_index(
        all.size(),
        [&](std::size_t i) {
          for (const ListedName& listed : tree_.list(all[i])) {
            if (!listed.is_folder && listed.name.starts_with(unfinished_prefix))
              remove(concat(all[i] == "/" ? "" : all[i], "/", listed.name));
          }
        },
        disk_threads);
  }

  // Files on many threads, because a disk may take milliseconds for each; then directories, the
  // deepest first.
  void remove_what_was_not_there() {
    std::vector<std::string> paths = new_paths(host_, snapshot_);
    for (const KeptPath& kept : snapshot_.paths) {
      if (kept.state.type == Type::absent) paths.push_back(kept.path);
    }
    std::vector<char> is_folder(paths.size());
    for_each_index(
        paths.size(),
        [&](std::size_t i) {
          const auto inode = tree_.inode(paths[i]);
          is_folder[i] = inode && S_ISDIR(inode->status().st_mode) ? 1 : 0;
          if (is_folder[i] == 0) remove(paths[i]);
        },
        disk_threads);
    std::map<std::ptrdiff_t, std::vector<std::string>> folders;  // by depth
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (is_folder[i] == 0) continue;
      folders[std::count(paths[i].begin(), paths[i].end(), '/')].push_back(std::move(paths[i]));
    }
    for (auto level = folders.rbegin(); level != folders.rend(); ++level) {
      for_each_index(
          level->second.size(), [&](std::size_t i) { remove(level->second[i]); }, disk_threads);
    }
  }

  // Directories first, then their entries, and additional names of files last.
  void put_all_back() {
    std::vector<std::size_t> others;
    std::vector<std::size_t> further_names;
    for (std::size_t i = 0; i < snapshot_.paths.size(); ++i) {
      const KeptPath& kept = snapshot_.paths[i];
      if (kept.state.type == Type::directory) {
        attempt(kept, i);
      } else {
        (kept.same_file.empty() ? others : further_names).push_back(i);
      }
    }
    for_each_index(
        others.size(), [&](std::size_t i) { attempt(snapshot_.paths[others[i]], others[i]); },
        disk_threads);
    for (const std::size_t i : further_names) attempt(snapshot_.paths[i], i);
  }

  void attempt(const KeptPath& kept, std::size_t index) {
    if (kept.state.type == Type::absent || kept.keeping == Keeping::released ||
        contents_.lost[index] == LostContent::not_needed)
      return;
    try {
      put_back(kept, index);
    } catch (const Error& error) {
      note_failure(kept.path, error);
    }
  }

  void put_back(const KeptPath& kept, std::size_t index) {
    // The directories above were restored before; if one failed, do not write through the object in
    // its place.
    const auto entry = tree_.find(kept.path);
    if (!entry) {
      throw Error(ErrorCode::rollback_incomplete,
                  "a symbolic link replaces one of its parent directories");
    }
    if (contents_.lost[index] == LostContent::overwritten) {
      throw Error(ErrorCode::rollback_incomplete,
                  "it was overwritten in place, and its previous content is lost");
    }
    if (contents_.lost[index] == LostContent::missing)
      throw Error(ErrorCode::rollback_incomplete, "its backup is missing or damaged");
    const auto inode = entry->inode();
    const FileState now = inode ? state_of(*inode, kept) : FileState{};
    const bool was_folder = kept.state.type == Type::directory;
    if (was_folder && now.type == Type::directory) return;
    if (now.type == Type::directory || (was_folder && inode)) remove(kept.path);
    if (was_folder) {
      entry->make_folder(0700);
    } else if (!kept.same_file.empty()) {
      link_again(kept, *entry, inode ? inode->identity() : FileIdentity{});
    } else if (now != kept.state) {
      put_content_back(kept, *entry, inode ? inode->identity() : FileIdentity{});
    }
  }

  // A file that is known to be the backed-up inode need not be read again.
  FileState state_of(const Inode& inode, const KeptPath& kept) const {
    // A file that is not the inode of the other names is wrong, with any content.
    if (kept.keeping == Keeping::both) {
      const FileIdentity linked = file_identity(link_place(kept, store_));
      FileState now = inode.state(Content::digest);
      if (linked.inode != 0 && inode.identity() != linked) now.sha256.clear();
      return now;
    }
    if (kept.keeping != Keeping::link) return inode.state(Content::digest);
    FileState now = inode.state(Content::ignore);
    const bool is_the_file = inode.identity() == file_identity(content(kept));
    now.sha256 = is_the_file ? kept.state.sha256 : "of another file";
    return now;
  }

  void put_content_back(const KeptPath& kept, const DirectoryEntry& entry,
                        const FileIdentity& found) {
    const bool is_linked = kept.keeping == Keeping::link || kept.keeping == Keeping::both;
    const fs::path from = link_place(kept, store_);
    const auto linked =
        is_linked ? Inode::at(AT_FDCWD, from.string(), from.string()) : std::nullopt;
    if (!linked) {
      entry.replace(kept.state, content(kept));
      return;
    }
    // All names of the file have its content.
    if (kept.keeping == Keeping::both && sha256_of_file(from) != kept.state.sha256) {
      overwrite(from, content(kept));
    }
    linked->apply_attributes(kept.state);
    if (found != linked->identity()) entry.replace_by(*linked);
  }

  // The first name of the file was restored before, because names are sorted.
  void link_again(const KeptPath& kept, const DirectoryEntry& entry, const FileIdentity& found) {
    const auto first = tree_.inode(kept.same_file);
    if (!first) throw system_error(ENOENT, "restore", kept.path);
    const FileIdentity wanted = first->identity();
    if (wanted.device != found.device || wanted.inode != found.inode) entry.replace_by(*first);
  }

  void put_attributes_back(const KeptPath& kept) {
    try {
      const auto inode = tree_.inode(kept.path);
      if (!inode || !S_ISDIR(inode->status().st_mode)) return;
      if (inode->state(Content::ignore) != kept.state) inode->apply_attributes(kept.state);
    } catch (const Error& error) {
      note_failure(kept.path, error);
    }
  }

  const Host& host_;
  const FileTree tree_;
  const Snapshot& snapshot_;
  const fs::path& store_;
  std::mutex mutex_;  // of failures_
  std::vector<RestoreFailure> failures_;
  const KeptContents& contents_;
};

// If the backup link is in the lower layer of an overlay on two file systems, no name can be the
// same inode: equal content must suffice.
bool is_apart_but_equal(const FileTree& tree, const KeptPath& kept, const fs::path& store) {
  const fs::path link = link_place(kept, store);
  const FileIdentity linked = file_identity(link);
  const FileIdentity here = tree.identity(kept.path);
  return linked.inode != 0 && here.inode != 0 && linked.device != here.device &&
         tree.state(kept.path, Content::digest).sha256 == sha256_of_file(link);
}

std::vector<RestoreFailure> restored(const Host& host, const Snapshot& snapshot,
                                     const fs::path& store, const KeptContents& contents) {
  try {
    return Restorer(host, snapshot, store, contents).run();
  } catch (const Error& error) {
    if (!is_passing(error.code())) throw;
    return {{error.message(), true}};
  }
}

}  // namespace

std::vector<RestoreFailure> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                             const fs::path& store, const KeptContents& contents) {
  std::vector<RestoreFailure> failures = restored(host, snapshot, store, contents);
  const bool may_pass = std::any_of(failures.begin(), failures.end(),
                                    [](const auto& failure) { return failure.is_passing; });
  return may_pass ? restored(host, snapshot, store, contents) : failures;
}

std::vector<RestoreFailure> restore_snapshot(const Host& host, const Snapshot& snapshot,
                                             const fs::path& store) {
  const KeptContents contents = check_contents(host, snapshot, store);
  require_contents(contents);
  return restore_snapshot(host, snapshot, store, contents);
}

RollbackProof compare_with_snapshot(const Host& host, const Snapshot& snapshot,
                                    const fs::path& store, Content linked) {
  RollbackProof proof;
  const FileTree tree(host.root);
  const auto is_unread = [&](const KeptPath& kept) {
    return kept.keeping == Keeping::link &&
           (linked == Content::ignore || kept.state.sha256.empty());
  };
  std::vector<PathToRead> paths;
  for (const KeptPath& kept : snapshot.paths) {
    paths.push_back({kept.path, is_unread(kept) ? Content::ignore : Content::digest});
  }
  const std::vector<FileState> states = states_in_place(host, paths);
  std::vector<char> is_different(snapshot.paths.size());
  for_each_index(
      snapshot.paths.size(),
      [&](std::size_t i) {
        const KeptPath& kept = snapshot.paths[i];
        if (kept.keeping == Keeping::released) return;
        bool equal = agree(states[i], kept.state);
        if (equal && (is_unread(kept) || kept.keeping == Keeping::both)) {
          equal = tree.identity(kept.path) == file_identity(link_place(kept, store)) ||
                  (kept.keeping == Keeping::link && !kept.state.sha256.empty() &&
                   tree.state(kept.path, Content::digest) == kept.state) ||
                  is_apart_but_equal(tree, kept, store);
        }
        if (equal && !kept.same_file.empty()) {
          const FileIdentity a = tree.identity(kept.path);
          const FileIdentity b = tree.identity(kept.same_file);
          equal = a.device == b.device && a.inode == b.inode;
        }
        is_different[i] = equal ? 0 : 1;
      },
      disk_threads);
  for (std::size_t i = 0; i < snapshot.paths.size(); ++i) {
    if (snapshot.paths[i].keeping != Keeping::released) ++proof.paths_checked;
    if (is_different[i] != 0) proof.differing.push_back(printable(snapshot.paths[i].path));
  }
  for (const std::string& path : new_paths(host, snapshot)) {
    ++proof.paths_checked;
    proof.differing.push_back(printable(path));
  }
  return proof;
}

}  // namespace topsctl
