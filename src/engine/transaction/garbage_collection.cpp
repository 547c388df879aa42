// Computes the disk use of transactions, finds and removes leftover files of ended ones.
#include "topsctl/engine/transaction/garbage_collection.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

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

// After --give-up, a person may need the backup.
bool is_wholly_restored(const Transaction& transaction) {
  if (transaction.state() != TransactionState::restored) return false;
  const Json& details = transaction.records.back().details;
  return details.is_object() && !details.value("gave_up", false) &&
         details.value("differing", 1) == 0;
}

std::vector<fs::path> leftovers(const Host& host, const Transaction& transaction) {
  std::vector<fs::path> found;
  if (!transaction.state() || transaction.is_unfinished()) return found;
  std::vector<const char*> names(working_folders.begin(), working_folders.end());
  if (is_wholly_restored(transaction)) names.insert(names.end(), {snapshot_folder, undo_folder});
  if (transaction.state() == TransactionState::pruned)
    names.insert(names.end(), {snapshot_folder, after_folder});
  for (const char* name : names) {
    const fs::path path = host.resolve(transaction.folder) / name;
    std::error_code ignored;
    if (fs::symlink_status(path, ignored).type() != fs::file_type::not_found) found.push_back(path);
  }
  return found;
}

}  // namespace

void remove_working_folders(const fs::path& folder) {
  for (const char* name : working_folders) {
    std::error_code ignored;
    fs::remove_all(folder / name, ignored);
  }
}

std::uint64_t bytes_on_disk(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.resolve(transaction.folder);
  return bytes_in(folder / snapshot_folder) + bytes_in(folder / after_folder);
}

bool has_garbage(const Host& host, const Transaction& transaction) {
  return !leftovers(host, transaction).empty();
}

void remove_garbage(const Host& host, const Transaction& transaction) {
  for (const fs::path& path : leftovers(host, transaction)) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
}

}  // namespace topsctl
