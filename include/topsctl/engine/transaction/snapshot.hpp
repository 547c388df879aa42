// What was kept of a write set, and its record.
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

// How the content of a file is kept: as a copy, or as a second name of the file itself.
enum class Keeping {
  nothing,  // there is no content, or another name of the file has it
  copy,
  link,
  both,      // a file of several names: the copy has its content, the link says which file it is
  released,  // the transaction has left the path as it was: it is none of its undo
};

// One path of a write set as it was.
struct KeptPath {
  std::string path;  // as the machine sees it, links in its folders followed
  FileState state;
  std::string same_file = {};  // an earlier path that is the same file (hard link); empty: none
  Keeping keeping = Keeping::nothing;
  std::string content = {};  // its name in the store
  bool is_unpacked = false;  // dpkg makes files of other names beside it, which belong to the set
  bool is_found = false;     // kept since it was there, or scripts often write it: nothing names it
};

struct Snapshot {
  std::vector<KeptPath> paths;  // sorted: every folder before what is in it
  std::vector<PathFamily> families;
  // WriteSet::debs; nothing in records of earlier versions of topsctl, which tell nothing of what
  // is named either.
  std::optional<std::vector<std::string>> debs = {};
  // Paths whose files are replaced as a whole: what they hold after the transaction is not read,
  // and goes by size and time. Known to the taker alone, not part of the record.
  std::set<std::string> unread = {};
};

// dpkg's lock files are held while we work: replacing them would let somebody else in, so they are
// no part of a snapshot.
bool is_dpkg_lock(const std::string& path);

// The state of a canonical path of a write set, as FileTree has it: absent if a link has taken the
// place of one of its folders since.
FileState state_in_place(const Host& host, const std::string& path, Content content);
// The same for many paths, by several threads.
struct PathToRead {
  std::string path;
  Content content = Content::digest;
};
std::vector<FileState> states_in_place(const Host& host, const std::vector<PathToRead>& paths);

// Records every path of the write set, the folders above included, and keeps the content of files
// in `store`, an empty folder that only root may read; the record itself is written there last.
// A file that is always replaced as a whole, is no setuid, setgid or sticky one (dpkg changes the
// mode of those before it removes them) and has one name is kept as a link where the store lies on
// its file system and the link is the very same file (on overlays on two file systems it is not),
// and so is a file of more than 256 MiB; all else is copied. A file of several
// names is copied and linked: others of its names may lie outside the write set, and must be the
// same file again. The files of links are not read: their digests are empty. The caller syncs.
Snapshot take_snapshot(const Host& host, const WriteSet& write_set,
                       const std::filesystem::path& store, WriteSetSummary& summary);

// Keeps in the same way what lay at paths that the snapshot does not know, and has been moved
// since: by each path, where it lies now. Throws Error.
std::vector<KeptPath> keep_moved(const Host& host, Snapshot& snapshot,
                                 const std::map<std::string, std::string>& places,
                                 const std::filesystem::path& store);

// Copies a file and takes its attributes, both of the same inode. Throws Error{busy} if it is no
// file any more.
void keep_copy(const FileTree& tree, KeptPath& kept, const std::filesystem::path& store);

// Where the content of a path lies, and the link to its file (of Keeping::link and both).
std::filesystem::path content_place(const KeptPath& kept, const std::filesystem::path& store);
std::filesystem::path link_place(const KeptPath& kept, const std::filesystem::path& store);

// Writes the record alone, for a state that is only to be compared with.
void write_snapshot_record(const Snapshot& snapshot, const std::filesystem::path& store);
// The same durably, in the place of another one: a power cut finds either.
void replace_snapshot_record(const Snapshot& snapshot, const std::filesystem::path& store);

// Of the record in bytes, 0 if there is none.
std::uint64_t record_size(const std::filesystem::path& store);
// Whether the record is there at all.
bool has_record(const std::filesystem::path& store);
// Reads the record back. Throws Error{journal_damaged} if it is not whole.
Snapshot load_snapshot(const std::filesystem::path& store);

// syncfs on every file system that holds a path of the snapshot; returns one folder of each.
std::vector<std::string> sync_mounts(const Host& host, const Snapshot& snapshot);

}  // namespace topsctl
