// Backs up one path at a time: link or copy, then record.
#include "engine/observation/observed_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/manifest.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr mode_t private_folder = 0700;
constexpr mode_t private_file = 0600;

std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// These file systems keep all metadata changes in order.
bool is_ordered(const Descriptor& folder) {
  constexpr std::uint64_t ext4 = 0xEF53;
  constexpr std::uint64_t xfs = 0x58465342;
  struct statfs status {};
  if (::fstatfs(folder.get(), &status) != 0) return false;
  const auto type = static_cast<std::uint64_t>(status.f_type);
  return type == ext4 || type == xfs;
}

void sync_file(const Descriptor& file, const fs::path& name) {
  if (::fsync(file.get()) != 0) throw system_error(errno, "sync", name.string());
}

}  // namespace

// While it lives, the store cannot be closed.
class ObservedStore::Turn {
 public:
  explicit Turn(ObservedStore& store) : store_(store) {
    if (store.is_closed_) return;
    while (::flock(store.lock_.get(), LOCK_EX) != 0) {
      if (errno != EINTR) throw system_error(errno, "lock", "the backup");
    }
    static_cast<void>(store.is_closed_now());
  }
  ~Turn() { ::flock(store_.lock_.get(), LOCK_UN); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  ObservedStore& store_;
};

ObservedStore::ObservedStore(const Host& host, const Snapshot& snapshot, fs::path store)
    : snapshot_(snapshot),
      store_(std::move(store)),
      own_state_(concat(host.state, "/")),
      tree_(host.root),
      known_(snapshot) {
  const fs::path folder = store_ / observed_folder;
  if (::mkdir(folder.c_str(), private_folder) != 0)
    throw system_error(errno, "create directory", folder.string());
  folder_ = Descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  lock_ = Descriptor(::openat(folder_.get(), observed_lock,
                              O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, private_file));
  struct stat status {};
  if (!lock_.is_open() || ::fstat(lock_.get(), &status) != 0)
    throw system_error(errno, "write", folder.string());
  device_ = status.st_dev;
  orders_changes_ = is_ordered(folder_);
  for (std::size_t i = 0; i < snapshot_.paths.size(); ++i) {
    const KeptPath& each = snapshot_.paths[i];
    if (each.keeping != Keeping::link && each.keeping != Keeping::both) continue;
    const FileIdentity file = file_identity(link_place(each, store_).string());
    inodes_.emplace(std::pair(file.device, file.inode), i);
  }
}

bool ObservedStore::is_closed_now() {
  struct stat status {};
  is_closed_ = is_closed_ || ::fstat(lock_.get(), &status) != 0 || status.st_nlink == 0 ||
               ::faccessat(folder_.get(), observed_closed, F_OK, 0) == 0;
  return is_closed_;
}

const KeptPath& ObservedStore::kept(std::size_t index) const {
  if (index >= snapshot_.paths.size()) return more_.at(index - snapshot_.paths.size());
  const auto copied = copied_.find(index);
  return copied == copied_.end() ? snapshot_.paths[index] : copied->second;
}

std::ptrdiff_t ObservedStore::kept_inode(const struct stat& status) const {
  const auto found =
      inodes_.find(std::pair<std::uint64_t, std::uint64_t>(status.st_dev, status.st_ino));
  return found == inodes_.end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
}

// A file with another name may belong to the system.
bool ObservedStore::is_no_business(const CallerPlace& place) const {
  const bool is_shared =
      place.is_there && S_ISREG(place.status.st_mode) && place.status.st_nlink > 1;
  return place.path.starts_with(own_state_) || (is_left_out(place.path) && !is_shared);
}

bool ObservedStore::is_settled(const std::string& path) const {
  if (path.starts_with(own_state_)) return true;
  // The path's type is unknown here, so assume a directory.
  return known_.knows(path, true) && (path == "/" || known_.knows(parent_of(path), true));
}

void ObservedStore::keep(const PathTouch& touch) {
  const CallerPlace& place = touch.place;
  if (is_closed_) return;
  if (touch.touch == Touch::content) return keep_content(place);
  if (place.path.empty()) {
    if (kept_inode(place.status) >= 0) return;
    throw Error(ErrorCode::busy, "a file that has lost its name is changed");
  }
  if (is_no_business(place)) return;
  const bool is_folder = place.is_there && S_ISDIR(place.status.st_mode);
  switch (touch.touch) {
    case Touch::attributes:
      if (!known_.knows(place.path, is_folder)) keep_path(place.path);
      return;
    case Touch::tree:
      keep_name(place.path, is_folder);
      if (is_folder) keep_tree(place.path, touch.moves_to);
      return;
    default:
      keep_name(place.path, is_folder || touch.touch == Touch::folder_name);
  }
}

void ObservedStore::keep_content(const CallerPlace& place) {
  std::ptrdiff_t index = kept_inode(place.status);
  if (index < 0) {
    if (place.path.empty())
      throw Error(ErrorCode::busy, "a file that has lost its name is changed");
    if (is_no_business(place) || known_.knows(place.path)) return;
    index = keep_path(place.path);
    if (index < 0) return;
    const KeptPath& now = kept(static_cast<std::size_t>(index));
    if (!now.same_file.empty()) index = known_.index_of(now.same_file);
  }
  copy_content(static_cast<std::size_t>(index));
}

void ObservedStore::keep_name(const std::string& path, bool is_folder) {
  if (known_.knows(path, is_folder)) {
    keep_folder_of(path);
  } else {
    keep_path(path);
  }
}

// If the target was a directory, names that arrive with the tree are new.
void ObservedStore::keep_tree(const std::string& path, const std::string& moves_to) {
  for (const ListedName& listed : tree_.list(path)) {
    const std::string each = concat(path, "/", listed.name);
    const std::string place = concat(moves_to, "/", listed.name);
    for (const std::string& name : {each, place}) {
      if (!known_.knows(name, listed.is_folder)) keep_path(name);
    }
    if (listed.is_folder && !listed.is_mount) keep_tree(each, place);
  }
}

// Its time moves with each name in it.
void ObservedStore::keep_folder_of(const std::string& path) {
  const std::string folder = parent_of(path);
  if (path != "/" && !known_.knows(folder, true)) keep_path(folder);
}

std::ptrdiff_t ObservedStore::keep_path(const std::string& path) {
  keep_folder_of(path);
  const Turn turn(*this);
  if (is_closed_) return -1;
  const auto inode = tree_.inode(path);
  KeptPath kept{path, {}};
  kept.is_found = true;
  const std::size_t index = snapshot_.paths.size() + more_.size();
  if (inode) {
    kept.state = inode->state(Content::ignore);
    if (kept.state.type == FileState::Type::file)
      keep_file(*inode, kept, first_observed + more_.size());
  }
  write_record(kept);
  known_.add(path, kept.state.type == FileState::Type::directory);
  if (!kept.content.empty()) {
    const FileIdentity identity = inode->identity();
    inodes_.emplace(std::pair(identity.device, identity.inode), index);
  }
  more_.push_back(std::move(kept));
  return static_cast<std::ptrdiff_t>(index);
}

void ObservedStore::keep_file(const Inode& inode, KeptPath& kept, std::size_t number) {
  // It may have been backed up under another name.
  if (const std::ptrdiff_t first = kept_inode(inode.status()); first >= 0) {
    const KeptPath& other = this->kept(static_cast<std::size_t>(first));
    kept.same_file = other.path;
    kept.state = other.state;
    return;
  }
  kept.content = concat("c", number);
  kept.keeping = Keeping::link;
  const fs::path place = link_place(kept, store_);
  if (::mkdir(place.parent_path().c_str(), private_folder) != 0 && errno != EEXIST)
    throw system_error(errno, "create directory", place.parent_path().string());
  if (inode.identity().device == device_ && inode.link_into(AT_FDCWD, place.string()) == 0) {
    const FileIdentity linked = file_identity(place.string());
    if (linked.device == inode.identity().device && linked.inode == inode.identity().inode) {
      sync_names(place.parent_path());
      return;
    }
    ::unlink(place.c_str());
  }
  kept.keeping = Keeping::copy;
  require_room(kept);
  keep_copy(tree_, kept, store_);
  const fs::path copy = content_place(kept, store_);
  sync_file(Descriptor(::open(copy.c_str(), O_RDONLY | O_CLOEXEC)), copy);
  sync_directory(store_);
}

// From its link, which is the file itself.
void ObservedStore::copy_content(std::size_t index) {
  if (kept(index).keeping != Keeping::link) return;
  const Turn turn(*this);
  if (is_closed_) return;
  KeptPath now = kept(index);
  const fs::path from = link_place(now, store_);
  const fs::path to = store_ / now.content;
  require_room(now);
  const Descriptor file(::open(from.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  const Descriptor copy(
      ::open(to.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, private_file));
  if (!file.is_open() || !copy.is_open()) throw system_error(errno, "copy", from.string());
  const std::string digest = copy_with_digest(file, now.path, copy, to.string());
  struct stat status {};
  if (::fstat(copy.get(), &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) != now.state.size)
    throw Error(ErrorCode::busy, format("{} was replaced during the backup", in_quotes(now.path)));
  sync_file(copy, to);
  sync_directory(store_);
  now.keeping = Keeping::both;
  now.state.sha256 = digest;
  write_record(now);
  if (index >= snapshot_.paths.size()) {
    more_.at(index - snapshot_.paths.size()) = std::move(now);
  } else {
    copied_.emplace(index, std::move(now));
  }
}

// Checks the space first, so that a large copy does not fail halfway.
void ObservedStore::require_room(const KeptPath& kept) const {
  if (kept.state.size <= free_bytes(store_)) return;
  throw Error(ErrorCode::no_space, format("not enough space to back up {}: {} needed",
                                          in_quotes(kept.path), human_size(kept.state.size)));
}

void ObservedStore::sync_names(const fs::path& folder) const {
  if (!orders_changes_) sync_directory(folder);
}

void ObservedStore::write_record(const KeptPath& kept) {
  const std::string text = kept_path_line(kept);
  std::array<char, 24> name{};
  std::snprintf(name.data(), name.size(), "%010zu", records_);
  const fs::path place = store_ / observed_folder / name.data();
  if (::symlinkat(text.c_str(), folder_.get(), name.data()) == 0) {
    sync_names(store_ / observed_folder);
  } else if (errno == ENAMETOOLONG) {
    write_durably(place, text, private_file);
  } else {
    throw system_error(errno, "write", place.string());
  }
  ++records_;
}

}  // namespace topsctl
