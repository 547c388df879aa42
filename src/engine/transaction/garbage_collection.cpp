// Finds and removes what ended transactions have left.
#include "topsctl/engine/transaction/garbage_collection.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The kept copies of a transaction that was given up are for a person to look at.
bool is_wholly_restored(const Transaction& transaction) {
  if (transaction.state() != TransactionState::restored) return false;
  const Json details = Json::parse(transaction.records.back().details, nullptr, false);
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
