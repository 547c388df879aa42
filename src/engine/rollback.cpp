// Undoing committed transactions.
#include "topsctl/engine/rollback.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/installer.hpp"
#include "topsctl/engine/recovery.hpp"
#include "topsctl/engine/snapshot.hpp"
#include "topsctl/host/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

bool is_committed(const Transaction& transaction) {
  return transaction.state() == TransactionState::committed;
}

Transaction chosen_transaction(const Host& host, const RollbackRequest& request) {
  std::vector<Transaction> committed = list_transactions(host);
  const bool any = !committed.empty();
  if (request.id) {
    const auto found = std::find_if(committed.begin(), committed.end(),
                                    [&](const Transaction& t) { return t.id == *request.id; });
    if (found == committed.end()) {
      throw Error(ErrorCode::host_unfit, concat("no transaction ", *request.id, " on this machine"),
                  "`topsctl history` lists them");
    }
    if (!is_committed(*found)) {
      throw Error(ErrorCode::host_unfit,
                  concat("transaction ", *request.id, " cannot be rolled back: it is ",
                         summary_of(*found).outcome),
                  "`topsctl history` shows which are committed");
    }
  }
  std::erase_if(committed, [](const Transaction& t) { return !is_committed(t); });
  if (committed.empty()) {
    throw Error(ErrorCode::host_unfit,
                any ? "nothing to roll back: no transaction is committed"
                    : "nothing to roll back: topsctl has installed nothing here",
                "`topsctl history` lists what topsctl has done on this machine");
  }
  if (request.id && committed.back().id != *request.id) {
    throw Error(ErrorCode::host_unfit,
                concat("transaction ", *request.id, " is not the latest: ", committed.back().id,
                       " came after it"),
                concat("roll back ", committed.back().id, " first"));
  }
  return committed.back();
}

// dpkg's bookkeeping beside its status, and the loader's cache, change with every package; byte
// code appears by mere use.
bool changes_by_itself(const std::string& path) {
  const auto in_dpkg = path.find("/lib/dpkg/");
  if (in_dpkg != std::string::npos) {
    const std::string rest = path.substr(in_dpkg + std::string_view("/lib/dpkg/").size());
    return rest.ends_with("-old") || rest == "available" || rest.starts_with("triggers/") ||
           rest.starts_with("updates/") || rest.starts_with("info/");
  }
  return path.ends_with(".pyc") || path.ends_with("/__pycache__") ||
         path.starts_with("/etc/ld.so.cache") || path.find("/cache/ldconfig/") != std::string::npos;
}

bool is_dpkg_status(const std::string& path) {
  return path.ends_with("/lib/dpkg/status");
}

// Whether somebody changed what matters: of a folder all but its time, of dpkg's status the
// content.
bool is_other(const std::string& path, FileState now, const FileState& then) {
  if (is_dpkg_status(path)) return now.sha256 != then.sha256;
  if (now.type == FileState::Type::directory) now.mtime_ns = then.mtime_ns;
  return now != then;
}

// Paths that are not as the transaction left them, and what a restore would remove that was not
// there then.
std::vector<std::string> changed_since(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.behind(transaction.folder);
  const Snapshot after = load_snapshot(folder / after_folder);
  std::vector<std::string> changed;
  std::set<std::string> known;
  for (const KeptPath& kept : after.paths) {
    known.insert(kept.path);
    if (!changes_by_itself(kept.path) &&
        is_other(kept.path, state_in_place(host, kept.path, Content::digest), kept.state)) {
      changed.push_back(printable(kept.path));
    }
  }
  for (const std::string& path : newcomers(host, load_snapshot(folder / snapshot_folder))) {
    if (!known.contains(path) && !changes_by_itself(path)) changed.push_back(printable(path));
  }
  return changed;
}

void refuse_foreign_changes(const Host& host, const Transaction& transaction, bool force) {
  std::vector<std::string> changed = changed_since(host, transaction);
  const bool dpkg_changed = std::any_of(changed.begin(), changed.end(), is_dpkg_status);
  if (changed.empty() || (force && !dpkg_changed)) return;
  const std::size_t count = changed.size();
  if (changed.size() > 5) changed.resize(5);
  throw Error(
      ErrorCode::host_unfit,
      concat("somebody else has changed this machine since transaction ", transaction.id, ": ",
             joined(changed, ", "),
             count > 5 ? concat(" and ", count - 5, " more") : std::string()),
      dpkg_changed
          ? "packages were installed or removed since; a rollback would make dpkg forget them"
          : "add --force to restore these files as they were before the transaction all the same");
}

}  // namespace

Execution roll_back(const Host& host, const RollbackRequest& request, EventFan& events) {
  require_usable_host(host, request.dry_run ? Purpose::look : Purpose::change);
  if (request.dry_run) {
    const Transaction transaction = chosen_transaction(host, request);
    refuse_foreign_changes(host, transaction, request.force);
    Execution execution =
        planned_undo(host, transaction, restoration_plan(transaction, "rollback"));
    execution.warnings = unfinished_warnings(host);
    return execution;
  }
  // Nothing of ours is made on a machine that topsctl never changed.
  if (list_transactions(host).empty()) static_cast<void>(chosen_transaction(host, request));
  const ChangeLock lock(host, request.lock_timeout_ms, [&](const std::string& holder) {
    events.note(concat("waiting for a lock held by ", holder));
  });
  const Recovery recovery = recover_unfinished(host, events);
  // What was cut off is what the operator wants undone: with that done, nothing more may be left to
  // do.
  if (recovery.has_failed() || (recovery.last && !request.id)) {
    return with_recovery(recovery, [&] { return *recovery.last; });
  }
  return with_recovery(recovery, [&] {
    const Transaction transaction = chosen_transaction(host, request);
    refuse_foreign_changes(host, transaction, request.force);
    Execution execution =
        undo_transaction(host, transaction, restoration_plan(transaction, "rollback"), events);
    execution.report.locks = lock.reports();
    return execution;
  });
}

}  // namespace topsctl
