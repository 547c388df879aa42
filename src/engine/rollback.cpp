// Rollback and recovery.
#include "topsctl/engine/rollback.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/installer.hpp"
#include "topsctl/engine/log_sink.hpp"
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

// Byte code may appear and folders get newer by mere use; dpkg's bookkeeping and the loader's cache
// change with every package.
bool changes_by_itself(const std::string& path, const FileState& after) {
  if (path == dpkg_status_file) return false;
  return after.type == FileState::Type::directory || path.ends_with(".pyc") ||
         path.ends_with("/__pycache__") || path.starts_with("/var/lib/dpkg/") ||
         path.starts_with("/etc/ld.so.cache") || path.starts_with("/var/cache/ldconfig/");
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
    if (!changes_by_itself(kept.path, kept.state) &&
        file_state(host.literal(kept.path), Content::digest) != kept.state) {
      changed.push_back(printable(kept.path));
    }
  }
  for (const std::string& path : newcomers(host, load_snapshot(folder / snapshot_folder))) {
    if (!known.contains(path) && !changes_by_itself(path, {})) changed.push_back(printable(path));
  }
  return changed;
}

void refuse_foreign_changes(const Host& host, const Transaction& transaction, bool force) {
  std::vector<std::string> changed = changed_since(host, transaction);
  const bool dpkg_changed =
      std::find(changed.begin(), changed.end(), dpkg_status_file) != changed.end();
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

Plan rollback_plan(const Transaction& transaction) {
  Plan plan;
  plan.command = "rollback";
  plan.steps.push_back({"restore",
                        concat("restore the state before transaction ", transaction.id),
                        RestoreWriteSet{transaction.id},
                        {"services that the packages' scripts started, stopped or restarted",
                         "kernel modules that the packages' scripts loaded"}});
  return plan;
}

std::vector<PackageChange> reversed_changes(const Transaction& transaction) {
  std::vector<PackageChange> changes = summary_of(transaction).packages;
  for (PackageChange& change : changes) std::swap(change.before, change.after);
  return changes;
}

void take_restoration(const Transaction& transaction, const Restoration& restoration,
                      Execution& execution) {
  TransactionReport& report = execution.report;
  report.rollback = restoration.proof;
  report.changed = true;
  report.not_restored.insert(report.not_restored.end(), restoration.failures.begin(),
                             restoration.failures.end());
  if (restoration.complete()) {
    report.outcome = Outcome::rolled_back;
    report.message = concat("the host is as before transaction ", transaction.id);
    return;
  }
  report.outcome = Outcome::rollback_incomplete;
  report.failed = true;
  report.message =
      concat("the rollback of transaction ", transaction.id, " is incomplete: a person is needed");
  execution.exit = ExitCode::rollback_incomplete;
  execution.error =
      Error(ErrorCode::rollback_incomplete,
            concat(restoration.proof.differing.size(), " paths differ from what was kept",
                   restoration.failures.empty() ? "" : ": ",
                   restoration.failures.empty() ? "" : restoration.failures.front()),
            concat("see `rollback` in the report; the kept copies are in ", transaction.folder));
}

Execution restore_committed(const Host& host, const Transaction& transaction, const Plan& plan,
                            EventFan& events) {
  Execution execution;
  TransactionReport& report = execution.report;
  report.transaction = transaction.id;
  report.plan = plan;
  report.packages = reversed_changes(transaction);
  report.not_restored = plan.steps.front().not_restored;
  report.log = concat(log_directory, "/", transaction.id, ".log");
  const fs::path logs = host.behind(log_directory);
  make_directories(logs, 0755);
  LogSink log(logs / concat(transaction.id, ".log"));
  EventFan all = events;
  all.add(&log);
  const Step& step = plan.steps.front();
  all.step_started(1, 1, step.description);
  const auto started = host.clock->steady();
  take_restoration(transaction, restore_transaction(host, transaction, all), execution);
  const auto duration =
      std::chrono::duration_cast<std::chrono::milliseconds>(host.clock->steady() - started).count();
  const bool done = report.outcome == Outcome::rolled_back;
  all.step_finished(1, 1, step.description, duration, done);
  report.steps.push_back({step.id, std::string(name(step.action)),
                          done ? StepStatus::done : StepStatus::failed, duration,
                          concat(report.rollback->paths_checked, " paths checked, ",
                                 report.rollback->differing.size(), " differing")});
  return execution;
}

}  // namespace

Execution roll_back(const Host& host, const RollbackRequest& request, EventFan& events) {
  require_usable_host(host, request.dry_run ? Purpose::look : Purpose::change);
  if (request.dry_run) {
    const Transaction transaction = chosen_transaction(host, request);
    refuse_foreign_changes(host, transaction, request.force);
    Execution execution;
    execution.report.transaction = transaction.id;
    execution.report.root = host.root.string();
    execution.report.plan = rollback_plan(transaction);
    execution.report.packages = reversed_changes(transaction);
    execution.report.message = "nothing was changed: this is the plan";
    execution.report.not_restored = execution.report.plan->steps.front().not_restored;
    execution.report.steps.push_back({"restore", "restore-write-set", StepStatus::pending, 0, ""});
    execution.warnings = unfinished_warnings(host);
    return execution;
  }
  // Nothing of ours is made on a machine that topsctl never changed.
  if (list_transactions(host).empty()) static_cast<void>(chosen_transaction(host, request));
  const ChangeLock lock(host, request.lock_timeout_ms, [&](const std::string& holder) {
    events.note(concat("waiting for a lock held by ", holder));
  });
  std::vector<std::string> warnings = recover_unfinished(host, events);
  const Transaction transaction = chosen_transaction(host, request);
  refuse_foreign_changes(host, transaction, request.force);
  Execution execution = restore_committed(host, transaction, rollback_plan(transaction), events);
  execution.report.root = host.root.string();
  execution.report.locks = lock.reports();
  execution.warnings = std::move(warnings);
  return execution;
}

std::vector<std::string> recover_unfinished(const Host& host, EventFan& events) {
  std::vector<std::string> warnings;
  std::vector<Transaction> transactions = list_transactions(host);
  for (auto transaction = transactions.rbegin(); transaction != transactions.rend();
       ++transaction) {
    if (!transaction->is_unfinished()) continue;
    if (transaction->state() <= TransactionState::prepared) {
      abandon_transaction(host, *transaction);
      warnings.push_back(
          concat("transaction ", transaction->id, " was cut off before it changed anything"));
      continue;
    }
    events.note(
        concat("restoring the state before transaction ", transaction->id, ", which was cut off"));
    const Restoration restoration = restore_transaction(host, *transaction, events);
    if (!restoration.complete()) {
      throw Error(ErrorCode::rollback_incomplete,
                  concat("transaction ", transaction->id,
                         " was cut off and cannot be restored completely: ",
                         restoration.proof.differing.size(), " paths differ",
                         restoration.failures.empty() ? std::string()
                                                      : concat("; ", restoration.failures.front())),
                  concat("a person is needed; the kept copies are in ", transaction->folder));
    }
    warnings.push_back(
        concat("transaction ", transaction->id, " was cut off; the host is again as before it"));
  }
  return warnings;
}

Execution recover(const Host& host, std::int64_t lock_timeout_ms, EventFan& events) {
  require_usable_host(host, Purpose::change);
  Execution execution;
  execution.report.root = host.root.string();
  execution.report.outcome = Outcome::no_change;
  execution.report.message = "no transaction is unfinished";
  const std::vector<Transaction> transactions = list_transactions(host);
  const auto unfinished = std::find_if(transactions.begin(), transactions.end(),
                                       [](const Transaction& t) { return t.is_unfinished(); });
  if (unfinished == transactions.end()) return execution;
  const ChangeLock lock(host, lock_timeout_ms, [&](const std::string& holder) {
    events.note(concat("waiting for a lock held by ", holder));
  });
  execution.warnings = recover_unfinished(host, events);
  execution.report.transaction = unfinished->id;
  execution.report.outcome = Outcome::rolled_back;
  execution.report.changed = unfinished->state() > TransactionState::prepared;
  execution.report.message = joined(execution.warnings, "; ");
  execution.report.locks = lock.reports();
  return execution;
}

std::vector<std::string> unfinished_warnings(const Host& host) {
  std::vector<std::string> warnings;
  std::vector<Transaction> transactions;
  try {
    transactions = list_transactions(host);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::permission) throw;
    return warnings;  // only root may look
  }
  for (const Transaction& transaction : transactions) {
    if (transaction.is_unfinished()) {
      warnings.push_back(concat(
          "transaction ", transaction.id,
          " is unfinished: unless topsctl is at work right now, `topsctl recover` restores the "
          "state before it"));
    }
  }
  return warnings;
}

}  // namespace topsctl
