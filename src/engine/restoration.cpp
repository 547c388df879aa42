// Ends a transaction by putting its snapshot back.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/executor.hpp"
#include "topsctl/engine/snapshot.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

void remove_working_folders(const fs::path& folder) {
  for (const char* name : {packages_folder, temporary_folder}) {
    std::error_code ignored;
    fs::remove_all(folder / name, ignored);
  }
}

}  // namespace

Restoration restore_transaction(const Host& host, const Transaction& transaction,
                                EventSink& events) {
  Restoration result;
  const fs::path folder = host.behind(transaction.folder);
  try {
    Journal journal(folder / "journal");
    journal.append(TransactionState::restoring, Json::object());
    const Snapshot snapshot = load_snapshot(folder / snapshot_folder);
    result.failures = restore_snapshot(host, snapshot, folder / snapshot_folder);
    result.proof = compare_with_snapshot(host, snapshot);
    static_cast<void>(sync_mounts(host, snapshot));
    journal.append(TransactionState::restored, {{"paths_checked", result.proof.paths_checked},
                                                {"differing", result.proof.differing.size()},
                                                {"was_changed", true}});
    remove_working_folders(folder);
  } catch (const Error& error) {
    result.failures.push_back(error.message());
    if (!error.hint().empty()) result.failures.push_back(error.hint());
  } catch (const std::exception& error) {
    result.failures.emplace_back(error.what());
  }
  for (const std::string& failure : result.failures) events.warning(failure);
  return result;
}

void abandon_transaction(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.behind(transaction.folder);
  Journal journal(folder / "journal");
  journal.append(TransactionState::restored,
                 {{"paths_checked", 0}, {"differing", 0}, {"was_changed", false}});
  remove_working_folders(folder);
  std::error_code ignored;
  fs::remove_all(folder / snapshot_folder, ignored);
}

}  // namespace topsctl
