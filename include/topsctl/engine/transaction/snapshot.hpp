// The backup of a write set, and its record.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/host/filesystem/file_state.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/plan.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// How the content of a file is backed up: as a copy, or as a hard link to the file.
enum class Keeping {
  nothing,  // no content, or another name of the file has it
  copy,
  link,
  both,      // a file of several names: the copy has the content, the link identifies the file
  released,  // the transaction did not change the path, so rollback skips it
};

// One path of a write set as it was before the transaction.
struct KeptPath {
  std::string path;  // on the host, with links in its directories followed
  FileState state;
  std::string same_file = {};  // an earlier path of the same file (hard link); empty: none
  Keeping keeping = Keeping::nothing;
  std::string content = {};  // its name in the store
  bool is_unpacked = false;  // dpkg creates files of derived names beside it, which belong to the
                             // set
  bool is_found = false;     // backed up because it existed or scripts often write it, not because
                             // it was named
};

struct Snapshot {
  std::vector<KeptPath> paths;  // sorted: each directory before its entries
  std::vector<PathFamily> families;
  // WriteSet::debs; nothing in records of earlier versions of topsctl, which do not mark named
  // paths either.
  std::optional<std::vector<std::string>> debs = {};
  // Paths whose files are always replaced: their content after the transaction is compared by size
  // and time, not read. Only in memory, not part of the record.
  std::set<std::string> unread = {};
};

// dpkg's lock files, which we hold while we work. They are never part of a snapshot: replacing them
// would admit another dpkg.
bool is_dpkg_lock(const std::string& path);

// The state of a canonical path of a write set, as FileTree reads it: absent if a link has replaced
// one of its directories since.
FileState state_in_place(const Host& host, const std::string& path, Content content);
// The same for many paths, in several threads.
struct PathToRead {
  std::string path;
  Content content = Content::digest;
};
std::vector<FileState> states_in_place(const Host& host, const std::vector<PathToRead>& paths);

// Records each path of the write set and the directories above, and backs up file content in
// `store`, an empty directory that only root may read; writes the record last. A file is kept as a
// link if it is always replaced, is not setuid, setgid or sticky (dpkg changes the mode of those
// before it removes them), has one name, lies on the file system of the store, and the link is the
// same inode (on overlays on two file systems it is not). A file of more than 256 MiB is kept as a
// link too; all others are copied. A file of several names is copied and linked: other names may
// lie outside the write set and must refer to the same file after a restore. Linked files are not
// read, so their digests are empty. The caller syncs.
Snapshot take_snapshot(const Host& host, const WriteSet& write_set,
                       const std::filesystem::path& store, WriteSetSummary& summary);

// Backs up in the same way files that the snapshot does not have and that were moved since.
// `places`: present place by original path. Throws Error.
std::vector<KeptPath> keep_moved(const Host& host, Snapshot& snapshot,
                                 const std::map<std::string, std::string>& places,
                                 const std::filesystem::path& store);

// Copies a file and reads its attributes, both of the same inode. Throws Error{busy} if it is no
// longer a file.
void keep_copy(const FileTree& tree, KeptPath& kept, const std::filesystem::path& store);

// The place of a path's backup content, and of the link to its file (Keeping::link and both).
std::filesystem::path content_place(const KeptPath& kept, const std::filesystem::path& store);
std::filesystem::path link_place(const KeptPath& kept, const std::filesystem::path& store);

// Writes only the record, for a state that is only compared with.
void write_snapshot_record(const Snapshot& snapshot, const std::filesystem::path& store);
// The same durably and atomically: a power cut leaves the old record or the new one.
void replace_snapshot_record(const Snapshot& snapshot, const std::filesystem::path& store);

// Size of the record in bytes, 0 if it is missing.
std::uint64_t record_size(const std::filesystem::path& store);
// Whether the record exists.
bool has_record(const std::filesystem::path& store);
// Reads the record back. Throws Error{journal_damaged} if it is incomplete.
Snapshot load_snapshot(const std::filesystem::path& store);

// Calls syncfs on each file system that holds a path of the snapshot; returns one directory of
// each.
std::vector<std::string> sync_mounts(const Host& host, const Snapshot& snapshot);

}  // namespace topsctl
