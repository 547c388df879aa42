// Takes snapshots of write sets.
#include "topsctl/engine/transaction/snapshot.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/link_seals.hpp"
#include "topsctl/engine/transaction/manifest.hpp"
#include "topsctl/engine/transaction/write_set_expansion.hpp"
#include "topsctl/host/filesystem/canonical_paths.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/parallel.hpp"
#include "topsctl/host/system/root_path.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr const char* manifest_name = "manifest";
// Larger files are always kept as links: models and the like, which scripts do not write into. If
// one does, the restore reports that the file is lost.
constexpr std::uint64_t largest_copy = 256ULL << 20U;
// On an overlay, a link to a file of a lower layer causes a copy-up, plus another name: for small
// files, our own copy costs about half.
constexpr std::uint64_t least_linked_on_overlay = 64ULL << 10U;
// Threads that create names in the same directory block each other.
constexpr std::size_t link_folders = 16;

fs::path link_folder(const fs::path& store, std::size_t number) {
  return store / concat("links-", number % link_folders);
}

// Updates the attributes: the file may have been replaced since it was last read.
Inode file_to_keep(const FileTree& tree, KeptPath& kept) {
  auto inode = tree.inode(kept.path);
  if (!inode || !S_ISREG(inode->status().st_mode)) {
    throw Error(
        ErrorCode::busy, format("{} was replaced during the backup", in_quotes(kept.path)),
        "nothing was changed; stop the program that writes to it, then rerun the same command");
  }
  kept.state = inode->state(Content::ignore);
  return std::move(*inode);
}

// The device number of files in a directory. An overlay on two file systems shows other numbers for
// files of its lower layers, and a third one for directories.
std::uint64_t device_of_files(const fs::path& folder) {
  const fs::path probe = folder / "probe";
  const Descriptor file(
      ::open(probe.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0)
    throw system_error(errno, "write", probe.string());
  ::unlink(probe.c_str());
  return status.st_dev;
}

// Creates a hard link to the same inode. On an overlay without an index, a link to a file of a
// lower layer on another file system becomes a separate file.
bool is_linked_as_itself(const Inode& file, const fs::path& place) {
  if (file.link_into(AT_FDCWD, place.string()) != 0) return false;
  const FileIdentity linked = file_identity(place);
  if (linked.device == file.identity().device && linked.inode == file.identity().inode) return true;
  ::unlink(place.c_str());
  return false;
}

// Backs up the content of files into stores.
class BackupWriter {
 public:
  // Its content names begin with this number.
  BackupWriter(const FileTree& tree, const fs::path& store, Snapshot& snapshot,
               WriteSetSummary& summary, std::size_t first = 0)
      : first_(first),
        tree_(tree),
        store_(store),
        least_linked_(is_overlay(store) ? least_linked_on_overlay : 0),
        snapshot_(snapshot),
        summary_(summary) {}

  // Decides how a path is backed up.
  void add(WriteSetMember member, FileState state, const FileIdentity& identity) {
    KeptPath kept{std::move(member.path), std::move(state)};
    kept.is_unpacked = member.is_unpacked;
    kept.is_found = member.is_found;
    if (kept.state.type == FileState::Type::file) add_file(identity, member.writing, kept);
    snapshot_.paths.push_back(std::move(kept));
  }

  void keep() {
    link();
    copy();
    for (const auto& [name, first] : further_names_) {
      snapshot_.paths[name].state.sha256 = snapshot_.paths[first].state.sha256;
    }
  }

 private:
  void add_file(const FileIdentity& identity, Writing writing, KeptPath& kept) {
    const std::size_t index = snapshot_.paths.size();
    if (identity.links > 1) {
      const auto [first, is_new] =
          first_names_.emplace(std::pair(identity.device, identity.inode), index);
      if (!is_new) {
        kept.same_file = snapshot_.paths[first->second].path;
        further_names_.emplace_back(index, first->second);
        return;
      }
    }
    kept.content = concat("c", first_ + index);
    constexpr unsigned special_bits = 07000;
    const bool is_linked = (writing == Writing::replaced && kept.state.size >= least_linked_) ||
                           kept.state.size > largest_copy;
    if (identity.links > 1) {
      kept.keeping = Keeping::both;
    } else if (is_linked && (kept.state.mode & special_bits) == 0) {
      kept.keeping = Keeping::link;
    } else {
      kept.keeping = Keeping::copy;
    }
    (kept.keeping == Keeping::copy ? copies_ : links_).push_back(index);
  }

  // A link cannot leave its file system, not every one has links, and on some a link is another
  // file: then it is copied.
  void link() {
    if (links_.empty()) return;
    for (std::size_t i = 0; i < link_folders; ++i) {
      const fs::path folder = link_folder(store_, i);
      if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
        throw system_error(errno, "create directory", folder.string());
    }
    // An overlay copies up a file of a lower layer before it links it, and then restores the time
    // of the directory: two operations in one directory would restore each other's time.
    const unsigned threads = is_on_plain_disk(store_) ? disk_threads : 1;
    // A file on another device is not even tried: on an overlay, linking would separate it from its
    // other names.
    const std::uint64_t device = device_of_files(store_);
    for_each_index(
        links_.size(),
        [&](std::size_t i) {
          KeptPath& kept = snapshot_.paths[links_[i]];
          const Inode file = file_to_keep(tree_, kept);
          if (file.identity().device != device ||
              !is_linked_as_itself(file, link_place(kept, store_)))
            kept.keeping = Keeping::copy;
        },
        threads);
    for (const std::size_t i : links_) {
      const KeptPath& kept = snapshot_.paths[i];
      if (kept.keeping != Keeping::link) {
        copies_.push_back(i);
        continue;
      }
      snapshot_.unread.insert(kept.path);
      ++summary_.linked;
    }
  }

  void copy() {
    for_each_index(
        copies_.size(),
        [&](std::size_t i) { keep_copy(tree_, snapshot_.paths[copies_[i]], store_); },
        disk_threads);
    for (const std::size_t i : copies_) summary_.bytes += snapshot_.paths[i].state.size;
    summary_.copied = copies_.size();
  }

  const std::size_t first_;
  const FileTree& tree_;
  const fs::path& store_;
  const std::uint64_t least_linked_;  // bytes
  Snapshot& snapshot_;
  WriteSetSummary& summary_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> first_names_;  // by device, inode
  std::vector<std::pair<std::size_t, std::size_t>> further_names_;  // and the first name of each
  std::vector<std::size_t> links_;  // also those that are copied too
  std::vector<std::size_t> copies_;
};

}  // namespace

bool is_dpkg_lock(const std::string& path) {
  return path.ends_with("/lib/dpkg/lock") || path.ends_with("/lib/dpkg/lock-frontend") ||
         path.ends_with("/lib/dpkg/triggers/Lock");
}

void keep_copy(const FileTree& tree, KeptPath& kept, const fs::path& store) {
  const Inode file = file_to_keep(tree, kept);
  const fs::path place = store / kept.content;
  const Descriptor output(
      ::open(place.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output.is_open()) throw system_error(errno, "write", place.string());
  kept.state.sha256 = copy_with_digest(file.open_file(O_RDONLY), kept.path, output, place.string());
}

FileState state_in_place(const Host& host, const std::string& path, Content content) {
  return FileTree(host.root).state(path, content);
}

std::vector<FileState> states_in_place(const Host& host, const std::vector<PathToRead>& paths) {
  const FileTree tree(host.root);
  std::vector<FileState> states(paths.size());
  for_each_range(
      paths.size(),
      [&](std::size_t begin, std::size_t end) {
        PathCursor cursor(tree);
        for (std::size_t i = begin; i < end; ++i)
          states[i] = cursor.state(paths[i].path, paths[i].content);
      },
      disk_threads);
  return states;
}

Snapshot take_snapshot(const Host& host, const WriteSet& write_set, const fs::path& store,
                       WriteSetSummary& summary) {
  Snapshot snapshot;
  snapshot.debs = write_set.debs;
  for (const PathFamily& family : write_set.families) {
    snapshot.families.push_back({canonical_in_root(host.root, family.directory, LastLink::follow),
                                 family.prefix, family.writing, family.is_own});
  }
  CanonicalPaths canonical(host.root);
  for (const std::string& path : write_set.packed) snapshot.unread.insert(canonical.of(path));
  const FileTree tree(host.root);
  BackupWriter writer(tree, store, snapshot, summary);
  std::vector<WriteSetMember> paths = members_of(host, write_set, snapshot.families);
  std::vector<FileState> states(paths.size());
  std::vector<FileIdentity> identities(paths.size());
  for_each_range(
      paths.size(),
      [&](std::size_t begin, std::size_t end) {
        PathCursor cursor(tree);
        for (std::size_t i = begin; i < end; ++i)
          states[i] = cursor.state(paths[i].path, Content::ignore, &identities[i]);
      },
      disk_threads);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    writer.add(std::move(paths[i]), std::move(states[i]), identities[i]);
  }
  writer.keep();
  summary.paths = snapshot.paths.size();
  write_snapshot_record(snapshot, store);
  return snapshot;
}

std::vector<KeptPath> keep_moved(const Host& host, Snapshot& snapshot,
                                 const std::map<std::string, std::string>& places,
                                 const fs::path& store) {
  const std::size_t first = snapshot.paths.size();
  // Left by a backup that was interrupted before its record was written.
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string content = concat("c", first + i);
    ::unlink((store / content).c_str());
    ::unlink((link_folder(store, first + i) / content).c_str());
  }
  const FileTree tree(host.root);
  Snapshot moved;
  WriteSetSummary ignored;
  BackupWriter writer(tree, store, moved, ignored, first);
  std::map<std::string, std::string> paths;  // by present path
  for (const auto& [path, place] : places) {
    paths.emplace(place, path);
    FileIdentity identity;
    FileState state = tree.state(place, Content::ignore, &identity);
    writer.add({place, Writing::replaced, false, true}, std::move(state), identity);
  }
  writer.keep();
  for (KeptPath& kept : moved.paths) {
    kept.path = paths.at(kept.path);
    if (!kept.same_file.empty()) kept.same_file = paths.at(kept.same_file);
    if (kept.keeping == Keeping::link) snapshot.unread.insert(kept.path);
  }
  return std::move(moved.paths);
}

fs::path content_place(const KeptPath& kept, const fs::path& store) {
  return kept.keeping == Keeping::link ? link_place(kept, store) : store / kept.content;
}

fs::path link_place(const KeptPath& kept, const fs::path& store) {
  // By its number, so that neighbours are in different directories.
  return link_folder(store, std::strtoul(kept.content.c_str() + 1, nullptr, 10)) / kept.content;
}

void write_snapshot_record(const Snapshot& snapshot, const fs::path& store) {
  write_plainly(store / manifest_name, manifest_text(snapshot), 0600);
}

void replace_snapshot_record(const Snapshot& snapshot, const fs::path& store) {
  write_durably(store / manifest_name, manifest_text(snapshot), 0600);
}

std::uint64_t record_size(const fs::path& store) {
  return file_state(store / manifest_name, Content::ignore).size;
}

bool has_record(const fs::path& store) {
  return file_state(store / manifest_name, Content::ignore).type == FileState::Type::file;
}

Snapshot load_snapshot(const fs::path& store) {
  if (!has_record(store)) throw Error(ErrorCode::journal_damaged, "the snapshot has no record");
  return parse_manifest(read_text(store / manifest_name, 1ULL << 30U));
}

std::vector<std::string> sync_mounts(const Host& host, const Snapshot& snapshot) {
  const FileTree tree(host.root);
  std::map<std::uint64_t, std::string> folders;
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.state.type != FileState::Type::directory) continue;
    // A non-root user may not be able to read all parent directories.
    if (::geteuid() != 0 && ::access(host.join_canonical_text(kept.path).c_str(), R_OK) != 0)
      continue;
    const std::uint64_t device = tree.identity(kept.path).device;
    if (device != 0) folders.emplace(device, kept.path);
  }
  std::vector<std::string> synced;
  for (const auto& [device, folder] : folders) {
    sync_file_system(host.join_canonical(folder));
    synced.push_back(folder);
  }
  return synced;
}

}  // namespace topsctl
