// Adds up the sizes of what a transaction keeps.
#include "topsctl/engine/transaction/kept_bytes.hpp"

#include <filesystem>
#include <set>

#include "topsctl/host/filesystem/file_state.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::set<std::uint64_t> seen;  // a file may have several names here
  std::error_code failure;
  for (auto at = fs::recursive_directory_iterator(folder, failure);
       !failure && at != fs::recursive_directory_iterator(); at.increment(failure)) {
    FileIdentity identity;
    const FileState state = file_state(at->path(), Content::ignore, &identity);
    if (state.type != FileState::Type::file) continue;
    if (seen.insert(identity.inode).second) bytes += state.size;
  }
  return bytes;
}

}  // namespace

std::uint64_t bytes_on_disk(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.resolve(transaction.folder);
  return bytes_in(folder / snapshot_folder) + bytes_in(folder / after_folder);
}

}  // namespace topsctl
