// Preallocates the space for a restore.
#include "topsctl/engine/transaction/reserved_room.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/filesystem/removal.hpp"
#include "topsctl/host/system/parallel.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The journal, the report, the log.
constexpr std::uint64_t bytes_of_records = 512ULL << 10U;
// Each thread makes one file beside another; the rest is for the plan and the report.
constexpr unsigned reserved_inodes = 2 * disk_threads;

// The largest file that is restored as a copy on the file system of the store.
std::uint64_t largest_copy_beside(const Host& host, const Snapshot& snapshot,
                                  std::uint64_t device) {
  const FileTree tree(host.root);
  std::uint64_t largest = 0;
  for (const KeptPath& kept : snapshot.paths) {
    if (kept.keeping != Keeping::copy || kept.state.size <= largest) continue;
    const std::string folder = fs::path(kept.path).parent_path().string();
    if (tree.identity(folder).device == device) largest = kept.state.size;
  }
  return largest;
}

void preallocate(const fs::path& file, std::uint64_t bytes) {
  const Descriptor output(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!output.is_open()) throw system_error(errno, "reserve space in", file.string());
  int failure = 0;
  do {
    if (bytes == 0) return;
    failure = ::posix_fallocate(output.get(), 0, static_cast<off_t>(bytes));
  } while (failure == EINTR);
  if (failure != 0) throw system_error(failure, "reserve space in", file.string());
}

void fill_with_room(const Host& host, const fs::path& reserved, const Snapshot& snapshot,
                    std::uint64_t record_bytes) {
  const std::uint64_t largest = largest_copy_beside(host, snapshot, file_identity(reserved).device);
  preallocate(reserved / "bytes", bytes_of_records + 2 * largest + 2 * record_bytes);
  for (unsigned i = 0; i < reserved_inodes; ++i) preallocate(reserved / concat(i), 0);
}

}  // namespace

std::uint64_t expected_room(const Host& host, const std::vector<std::string>& replaced) {
  constexpr std::uint64_t block = 4096;
  const auto in_blocks = [](const struct stat& status) {
    return (static_cast<std::uint64_t>(status.st_size) + block - 1) / block * block;
  };
  // Records of paths and directories grow with the host.
  constexpr std::uint64_t records = 4ULL << 20U;
  std::uint64_t bytes = bytes_of_records + records;
  struct stat status {};
  // dpkg's own files are written in place, so all are copied.
  for (const char* name : {"", "info", "alternatives", "triggers"}) {
    std::error_code failure;
    for (auto at = fs::directory_iterator(host.resolve(concat("/var/lib/dpkg/", name)), failure);
         !failure && at != fs::directory_iterator(); at.increment(failure)) {
      if (::lstat(at->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
        bytes += in_blocks(status);
    }
  }
  // Space for the largest file once more in its final state, and for both while one is restored.
  constexpr std::uint64_t copies = 3;
  if (::stat(host.resolve("/var/lib/dpkg/status").c_str(), &status) == 0)
    bytes += copies * in_blocks(status);
  fs::path store = host.resolve(host.state);
  while (!fs::exists(store) && store != store.parent_path()) store = store.parent_path();
  const std::uint64_t device = file_identity(store.string()).device;
  for (const std::string& path : replaced) {
    const fs::path file = host.resolve_parent(path);
    if (::lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (status.st_dev != device) bytes += in_blocks(status);
  }
  return bytes;
}

void reserve_room(const Host& host, const fs::path& folder, const Snapshot& snapshot) {
  const fs::path reserved = folder / reserved_folder;
  if (::mkdir(reserved.c_str(), 0700) != 0)
    throw system_error(errno, "create directory", reserved.string());
  try {
    fill_with_room(host, reserved, snapshot, record_size(folder / snapshot_folder));
  } catch (const Error&) {
    remove_tree(reserved);
    throw;
  }
}

}  // namespace topsctl
