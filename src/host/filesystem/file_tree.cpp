// Resolves paths, and replaces files.
#include "topsctl/host/filesystem/file_tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/random.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr int walk_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

std::string unforeseen_name() {
  constexpr std::size_t bytes = 8;
  return concat(unfinished_prefix, hex_text(random_bytes(bytes)));
}

// "." for the root.
std::string last_name(std::string_view path) {
  const std::string_view last = path.substr(path.rfind('/') + 1);
  return std::string(last.empty() ? "." : last);
}

// Verifies that an object is the one just created and was not replaced: a link or a special file of
// ours with one name.
Inode just_made(int folder, const std::string& name, const FileState& state,
                const std::string& path) {
  auto made = Inode::at(folder, name, path);
  constexpr unsigned type_bits = S_IFMT;
  const bool is_ours = made && made->status().st_nlink == 1 &&
                       made->status().st_uid == ::geteuid() &&
                       (made->status().st_mode & type_bits) == (state.mode & type_bits);
  if (!is_ours || made->state(Content::ignore).target != state.target) {
    throw Error(ErrorCode::rollback_incomplete,
                format("another process is changing the directory of {}", in_quotes(path)),
                "stop the processes that write to it, and run the same command again");
  }
  return std::move(*made);
}

FileState state_of(const std::optional<Inode>& here, Content content, FileIdentity* identity) {
  if (!here) return {};
  if (identity != nullptr) *identity = here->identity();
  return here->state(content);
}

}  // namespace

DirectoryEntry::DirectoryEntry(Descriptor folder, std::string name, std::string path)
    : folder_(std::move(folder)), name_(std::move(name)), path_(std::move(path)) {}

std::optional<Inode> DirectoryEntry::inode() const {
  return Inode::at(folder_.get(), name_, path_);
}

FileState DirectoryEntry::state(Content content) const {
  const auto here = inode();
  return here ? here->state(content) : FileState{};
}

int DirectoryEntry::remove_file() const {
  return ::unlinkat(folder_.get(), name_.c_str(), 0) == 0 || errno == ENOENT ? 0 : errno;
}

int DirectoryEntry::remove() const {
  const int reason = remove_file();
  if (reason != EISDIR) return reason;
  return ::unlinkat(folder_.get(), name_.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : errno;
}

void DirectoryEntry::make_folder(mode_t mode) const {
  if (::mkdirat(folder_.get(), name_.c_str(), 0700) != 0)
    throw system_error(errno, "create directory", path_);
  const Descriptor made(
      ::openat(folder_.get(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!made.is_open() || ::fchmod(made.get(), mode) != 0)
    throw system_error(errno, "set the mode of", path_);
}

int DirectoryEntry::take(const fs::path& from) const {
  return ::renameat(AT_FDCWD, from.c_str(), folder_.get(), name_.c_str()) == 0 ? 0 : errno;
}

void DirectoryEntry::copy_here(const Inode& file) const {
  const Descriptor copy(::openat(folder_.get(), name_.c_str(),
                                 O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!copy.is_open()) throw system_error(errno, "write", path_);
  static_cast<void>(copy_with_digest(file.open_file(O_RDONLY), path_, copy, path_));
  if (::fchmod(copy.get(), file.status().st_mode & 07777U) != 0)
    throw system_error(errno, "set the mode of", path_);
}

void DirectoryEntry::create(const std::string& name, const FileState& state,
                            const fs::path& kept) const {
  switch (state.type) {
    case FileState::Type::file: {
      Descriptor file(::openat(folder_.get(), name.c_str(),
                               O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
      if (!file.is_open()) throw system_error(errno, "write", path_);
      const Descriptor content(::open(kept.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
      if (!content.is_open()) throw system_error(errno, "read", kept.string());
      static_cast<void>(copy_with_digest(content, kept.string(), file, path_));
      Inode(std::move(file), path_).apply_attributes(state);
      return;
    }
    case FileState::Type::symlink:
      if (::symlinkat(state.target.c_str(), folder_.get(), name.c_str()) != 0)
        throw system_error(errno, "create link", path_);
      break;
    case FileState::Type::special:
      if (::mknodat(folder_.get(), name.c_str(), state.mode, state.rdev) != 0)
        throw system_error(errno, "make", path_);
      break;
    case FileState::Type::absent:
    case FileState::Type::directory:
      throw Error(ErrorCode::internal, format("cannot replace {}", in_quotes(path_)));
  }
  just_made(folder_.get(), name, state, path_).apply_attributes(state);
}

void DirectoryEntry::rename_here(const std::string& name) const {
  const auto is_renamed = [&] {
    return ::renameat(folder_.get(), name.c_str(), folder_.get(), name_.c_str()) == 0;
  };
  if (is_renamed()) return;
  // An overlay on two file systems cannot exchange two names of a file that it copied up. If the
  // process is killed in between, the next run finds the path absent and repeats the step.
  if (errno == ESTALE && ::unlinkat(folder_.get(), name_.c_str(), 0) == 0 && is_renamed()) return;
  throw system_error(errno, "restore", path_);
}

void DirectoryEntry::replace(const FileState& state, const fs::path& kept) const {
  const std::string name = unforeseen_name();
  try {
    create(name, state, kept);
    rename_here(name);
  } catch (...) {
    ::unlinkat(folder_.get(), name.c_str(), 0);
    throw;
  }
}

void DirectoryEntry::replace_by(const Inode& file) const {
  const std::string name = unforeseen_name();
  if (const int reason = file.link_into(folder_.get(), name); reason != 0)
    throw system_error(reason, "restore", path_);
  try {
    rename_here(name);
  } catch (...) {
    ::unlinkat(folder_.get(), name.c_str(), 0);
    throw;
  }
  // rename(2) leaves both names if they are one file.
  ::unlinkat(folder_.get(), name.c_str(), 0);
}

FileTree::FileTree(const fs::path& root, PathWalk walk)
    : root_(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)), walk_(walk) {
  if (!root_.is_open()) throw system_error(errno, "open directory", root.string());
}

Descriptor FileTree::folder_of(std::string_view path) const {
  if (walk_ == PathWalk::at_once) {
    const std::string folder = concat(".", path.substr(0, path.rfind('/')));  // "./usr/lib"
    open_how how{};
    how.flags = walk_flags;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
    const long opened = ::syscall(SYS_openat2, root_.get(), folder.c_str(), &how, sizeof how);
    if (opened >= 0) return Descriptor(static_cast<int>(opened));
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return {};
    // Not supported by the kernel or blocked by a filter; a real error occurs again below.
  }
  Descriptor folder(::openat(root_.get(), ".", walk_flags));
  for (std::string_view rest = path; folder.is_open();) {
    rest.remove_prefix(std::min(rest.find_first_not_of('/'), rest.size()));
    const auto slash = rest.find('/');
    if (slash == std::string_view::npos) return folder;
    const std::string part(rest.substr(0, slash));
    folder = Descriptor(::openat(folder.get(), part.c_str(), walk_flags));
    rest.remove_prefix(slash);
  }
  if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP) return {};
  throw system_error(errno, "stat", path);
}

std::optional<DirectoryEntry> FileTree::find(std::string_view path) const {
  Descriptor folder = folder_of(path);
  if (!folder.is_open()) return std::nullopt;
  return DirectoryEntry(std::move(folder), last_name(path), std::string(path));
}

std::optional<Inode> FileTree::inode(std::string_view path) const {
  const auto entry = find(path);
  return entry ? entry->inode() : std::nullopt;
}

FileState FileTree::state(std::string_view path, Content content, FileIdentity* identity) const {
  return state_of(inode(path), content, identity);
}

FileIdentity FileTree::identity(std::string_view path) const {
  const auto here = inode(path);
  return here ? here->identity() : FileIdentity{};
}

std::optional<Inode> PathCursor::inode(std::string_view path) {
  const std::string_view folder = path.substr(0, path.rfind('/'));
  if (path_ != folder) {
    path_.reset();
    folder_ = tree_.folder_of(path);
    path_ = folder;
  }
  if (!folder_.is_open()) return std::nullopt;
  return Inode::at(folder_.get(), last_name(path), std::string(path));
}

FileState PathCursor::state(std::string_view path, Content content, FileIdentity* identity) {
  return state_of(inode(path), content, identity);
}

std::vector<ListedName> FileTree::list(std::string_view folder) const {
  std::vector<ListedName> found;
  const Descriptor above = folder_of(folder);
  if (!above.is_open()) return found;
  const int opened = ::openat(above.get(), last_name(folder).c_str(),
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  // A lack of descriptors must not look like an empty directory.
  if (opened < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
    throw system_error(errno, "list", folder);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opened < 0 ? nullptr : ::fdopendir(opened),
                                                    ::closedir);
  struct stat own {};
  if (!entries || ::fstat(opened, &own) != 0) return found;
  while (const dirent* entry = ::readdir(entries.get())) {
    ListedName listed{entry->d_name};
    if (listed.name == "." || listed.name == "..") continue;
    struct stat status {};
    if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
        ::fstatat(opened, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
      listed.is_folder = S_ISDIR(status.st_mode);
      listed.is_mount = listed.is_folder && status.st_dev != own.st_dev;
    }
    found.push_back(std::move(listed));
  }
  return found;
}

}  // namespace topsctl
