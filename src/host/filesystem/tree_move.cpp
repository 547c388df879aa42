// Merges trees by rename(2), and by copies across file systems.
#include "topsctl/host/filesystem/tree_move.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The new file has only its final name, so an interrupted run leaves only paths of the write set.
void copy_over(const fs::path& from, const DirectoryEntry& to, const std::string& shown) {
  const auto inode = Inode::at(AT_FDCWD, from.string(), from.string());
  if (!inode) throw system_error(ENOENT, "read", from.string());
  if (const int reason = to.remove_file(); reason != 0)
    throw system_error(reason, "replace", shown);
  to.copy_here(*inode);
  ::unlink(from.c_str());
}

DirectoryEntry entry_at(const FileTree& tree, const std::string& path) {
  auto entry = tree.find(path);
  if (!entry) throw system_error(ENOTDIR, "create directory", path);
  return std::move(*entry);
}

void move_file(const fs::path& from, const DirectoryEntry& to, const std::string& shown) {
  const int reason = to.take(from);
  if (reason == 0) return;
  if (reason != EXDEV) throw system_error(reason, "replace", shown);
  copy_over(from, to, shown);
}

// Whether the directory was moved as a whole.
bool move_folder(const fs::path& from, const DirectoryEntry& to, const std::string& shown) {
  if (const auto there = to.inode()) {
    if (!S_ISDIR(there->status().st_mode)) throw system_error(ENOTDIR, "create directory", shown);
    return false;
  }
  const int reason = to.take(from);
  if (reason == 0) return true;
  if (reason != EXDEV) throw system_error(reason, "create directory", shown);
  struct stat status {};
  if (::stat(from.c_str(), &status) != 0) throw system_error(errno, "create directory", shown);
  to.make_folder(status.st_mode & 07777U);
  return false;
}

}  // namespace

void move_tree(const fs::path& from, const FileTree& tree, const std::string& to) {
  const std::vector<fs::directory_entry> entries{fs::directory_iterator(from),
                                                 fs::directory_iterator()};
  for (const fs::directory_entry& entry : entries) {
    throw_if_interrupted();
    const std::string path = concat(to, "/", entry.path().filename().native());
    const DirectoryEntry place = entry_at(tree, path);
    if (entry.symlink_status().type() != fs::file_type::directory) {
      move_file(entry.path(), place, path);
    } else if (!move_folder(entry.path(), place, path)) {
      move_tree(entry.path(), tree, path);
    }
  }
}

}  // namespace topsctl
