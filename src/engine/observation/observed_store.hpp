// Backs up paths before they are changed, in addition to the predicted ones.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <string>

#include "engine/observation/known_paths.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/host/filesystem/file_tree.hpp"
#include "topsctl/host/observation/path_touches.hpp"

namespace topsctl {

// The directory for these records, in the store of the snapshot.
inline constexpr const char* observed_folder = "observed";
inline constexpr const char* observed_lock = "lock";      // held during a backup
inline constexpr const char* observed_closed = "closed";  // no more backups are made
// Content names begin with this number.
inline constexpr std::size_t first_observed = 1'000'000'000;

// A file is backed up as a link, and copied only before it is written to. Each record is on disk
// before its change: on file systems with ordered operations (ext4, XFS) as the target of a
// symbolic link, which is such an operation itself.
class ObservedStore {
 public:
  // The snapshot, whose record is in the store, must outlive it. Throws Error, also if records
  // exist already.
  ObservedStore(const Host& host, const Snapshot& snapshot, std::filesystem::path store);

  // Backs up what a restore needs. Throws Error if it cannot: then the change must not be made.
  void keep(const PathTouch& touch);
  // Whether the path may be removed, replaced or get other attributes, and a file be created there:
  // its backup exists.
  bool is_settled(const std::string& path) const;
  // Whether it was closed: no more backups are made.
  bool is_closed() const { return is_closed_; }
  // The same, with a check on disk.
  bool is_closed_now();

 private:
  class Turn;

  void keep_content(const CallerPlace& place);
  void keep_name(const std::string& path, bool is_folder);
  void keep_tree(const std::string& path, const std::string& moves_to);
  void keep_folder_of(const std::string& path);
  // Its place; -1: the store has been closed.
  std::ptrdiff_t keep_path(const std::string& path);
  void keep_file(const Inode& inode, KeptPath& kept, std::size_t number);
  void copy_content(std::size_t index);
  const KeptPath& kept(std::size_t index) const;
  // The backup of this inode; -1: none.
  std::ptrdiff_t kept_inode(const struct stat& status) const;
  bool is_no_business(const CallerPlace& place) const;
  void require_room(const KeptPath& kept) const;
  void write_record(const KeptPath& kept);
  void sync_names(const std::filesystem::path& folder) const;

  const Snapshot& snapshot_;
  const std::filesystem::path store_;
  const std::string own_state_;
  const FileTree tree_;
  KnownPaths known_;
  Descriptor folder_;
  Descriptor lock_;
  std::uint64_t device_ = 0;  // of the store's files
  bool orders_changes_ = false;
  bool is_closed_ = false;
  std::deque<KeptPath> more_;
  std::map<std::size_t, KeptPath> copied_;  // of the snapshot's paths, those that were copied since
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> inodes_;  // by device and number
  std::size_t records_ = 0;
};

}  // namespace topsctl
