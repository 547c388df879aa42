// Removes what was kept for old transactions.
#include "topsctl/engine/generations.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "topsctl/engine/executor.hpp"
#include "topsctl/host/file_state.hpp"
#include "topsctl/host/files.hpp"
#include "topsctl/host/removal.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::set<std::uint64_t> seen;  // a file may have several names here
  std::error_code failure;
  for (auto at = fs::directory_iterator(folder, failure);
       !failure && at != fs::directory_iterator(); at.increment(failure)) {
    const FileState state = file_state(at->path(), Content::ignore);
    if (state.type != FileState::Type::file) continue;
    if (seen.insert(file_identity(at->path()).inode).second) bytes += state.size;
  }
  return bytes;
}

}  // namespace

std::uint64_t bytes_on_disk(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.behind(transaction.folder);
  return bytes_in(folder / snapshot_folder) + bytes_in(folder / after_folder);
}

std::vector<Transaction> superfluous(std::vector<Transaction> transactions,
                                     const Generations& generations) {
  std::erase_if(transactions,
                [](const Transaction& t) { return t.state() != TransactionState::committed; });
  std::size_t kept = 0;
  std::uint64_t bytes = 0;
  std::size_t first = transactions.size();  // of those that stay
  while (first > 0) {
    bytes += summary_of(transactions[first - 1]).kept_bytes;
    const bool fits =
        kept < generations.keep && (!generations.most_bytes || bytes <= *generations.most_bytes);
    if (kept > 0 && !fits) break;
    ++kept;
    --first;
  }
  transactions.resize(first);
  return transactions;
}

std::vector<Pruned> prune(const Host& host, const Generations& generations) {
  std::vector<Pruned> done;
  for (const Transaction& transaction : superfluous(list_transactions(host), generations)) {
    const fs::path folder = host.behind(transaction.folder);
    done.push_back({transaction.id, bytes_on_disk(host, transaction)});
    // Announced first: half of what was kept is good for nothing.
    Journal(folder / "journal").append(TransactionState::pruned, Json::object());
    for (const char* name : {snapshot_folder, after_folder}) remove_tree(folder / name);
  }
  return done;
}

}  // namespace topsctl
