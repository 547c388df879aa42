// Merges trees by rename(2), and by copies where that cannot reach.
#include "topsctl/host/filesystem/tree_move.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The new file lies at no other name than its own: what a cut-off run leaves is one of the paths
// that are known to be written.
void copy_over(const fs::path& from, const fs::path& to) {
  struct stat status {};
  if (::stat(from.c_str(), &status) != 0) throw system_error(errno, "read", from.string());
  if (::unlink(to.c_str()) != 0 && errno != ENOENT) {
    throw system_error(errno, "replace", to.string());
  }
  copy_with_digest(from, to);
  if (::chmod(to.c_str(), status.st_mode & 07777U) != 0) {
    throw system_error(errno, "set the mode of", to.string());
  }
  ::unlink(from.c_str());
}

void move_file(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) == 0) return;
  if (errno != EXDEV) throw system_error(errno, "replace", to.string());
  copy_over(from, to);
}

// Whether the folder came into its place as a whole.
bool move_folder(const fs::path& from, const fs::path& to) {
  struct stat there {};
  if (::lstat(to.c_str(), &there) == 0) {
    if (!S_ISDIR(there.st_mode)) throw system_error(ENOTDIR, "make folder", to.string());
    return false;
  }
  if (::rename(from.c_str(), to.c_str()) == 0) return true;
  if (errno != EXDEV) throw system_error(errno, "make folder", to.string());
  struct stat status {};
  make_directories(to, 0755);
  if (::stat(from.c_str(), &status) != 0 || ::chmod(to.c_str(), status.st_mode & 07777U) != 0) {
    throw system_error(errno, "make folder", to.string());
  }
  return false;
}

}  // namespace

void move_tree(const fs::path& from, const fs::path& to) {
  const std::vector<fs::directory_entry> entries{fs::directory_iterator(from),
                                                 fs::directory_iterator()};
  for (const fs::directory_entry& entry : entries) {
    throw_if_interrupted();
    const fs::path place = to / entry.path().filename();
    if (entry.symlink_status().type() != fs::file_type::directory) {
      move_file(entry.path(), place);
    } else if (!move_folder(entry.path(), place)) {
      move_tree(entry.path(), place);
    }
  }
}

}  // namespace topsctl
