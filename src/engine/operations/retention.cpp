// Removes the backups of old transactions.
#include "topsctl/engine/operations/retention.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/garbage_collection.hpp"
#include "topsctl/engine/transaction/soundness.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/filesystem/removal.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

bool keeps_something(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.resolve(transaction.folder);
  std::error_code ignored;
  return fs::exists(folder / snapshot_folder, ignored) ||
         fs::exists(folder / after_folder, ignored);
}

// The expired ones, and those whose removal was interrupted by a crash.
std::vector<Transaction> to_prune(const Host& host, const Retention& generations) {
  const std::vector<Transaction> all = list_transactions(host);
  std::vector<Transaction> found = expired(all, generations);
  for (const Transaction& transaction : all) {
    if (transaction.state() == TransactionState::pruned && keeps_something(host, transaction))
      found.push_back(transaction);
  }
  std::sort(found.begin(), found.end(),
            [](const Transaction& a, const Transaction& b) { return a.id < b.id; });
  return found;
}

}  // namespace

namespace {

// The transactions of one kind.
std::vector<Transaction> expired_of(TransactionKind kind, std::size_t keep,
                                    std::optional<std::uint64_t> most_bytes,
                                    std::vector<Transaction> transactions) {
  std::erase_if(transactions, [&](const Transaction& t) {
    return t.state() != TransactionState::committed || t.kind() != kind;
  });
  std::size_t kept = 0;
  std::uint64_t bytes = 0;
  std::size_t first = transactions.size();  // index of the first one that stays
  while (first > 0) {
    bytes += summary_of(transactions[first - 1]).kept_bytes;
    const bool fits = kept < keep && (!most_bytes || bytes <= *most_bytes);
    if (kept > 0 && !fits) break;
    ++kept;
    --first;
  }
  transactions.resize(first);
  return transactions;
}

}  // namespace

std::vector<Transaction> expired(const std::vector<Transaction>& transactions,
                                 const Retention& generations) {
  std::vector<Transaction> all =
      expired_of(TransactionKind::install, generations.keep, generations.most_bytes, transactions);
  for (Transaction& each :
       expired_of(TransactionKind::patch, generations.keep * patches_for_an_install,
                  generations.most_bytes, transactions))
    all.push_back(std::move(each));
  std::sort(all.begin(), all.end(),
            [](const Transaction& a, const Transaction& b) { return a.id < b.id; });
  return all;
}

std::vector<Pruned> prune(const Host& host, const Retention& generations) {
  std::vector<Pruned> done;
  for (const Transaction& transaction : to_prune(host, generations)) {
    const fs::path folder = host.resolve(transaction.folder);
    const std::uint64_t before = bytes_on_disk(host, transaction);
    // Announced first, because half a backup is useless.
    if (transaction.state() != TransactionState::pruned)
      Journal(folder / "journal").append(TransactionState::pruned, Json::object());
    for (const char* name : {snapshot_folder, after_folder}) remove_tree(folder / name);
    done.push_back({transaction.id, before - bytes_on_disk(host, transaction)});
  }
  return done;
}

void keep_usual_retention(const Host& host, Execution& execution) {
  try {
    static_cast<void>(prune(host, {}));
  } catch (const Error& error) {
    execution.warnings.push_back(
        format("backups of older transactions were not removed: {}", error.message()));
  }
}

std::vector<Pruned> prune_history(const Host& host, const PruneRequest& request, EventFan& events) {
  require_usable_host(host, request.dry_run ? Purpose::look_back : Purpose::undo);
  // Creates nothing on a host that topsctl never changed.
  if (list_transactions(host).empty()) return {};
  constexpr const char* reason = "backups of older transactions may be needed";
  if (request.dry_run) {
    refuse_unfinished(host, reason);
    std::vector<Pruned> would_go;
    for (const Transaction& transaction : to_prune(host, request.generations))
      would_go.push_back({transaction.id, bytes_on_disk(host, transaction)});
    return would_go;
  }
  const ChangeLock lock(host, request.lock_timeout_ms, told_to(events), locks_of_undo(host));
  static_cast<void>(sound_transactions(host));
  refuse_unfinished(host, reason);
  return prune(host, request.generations);
}

}  // namespace topsctl
