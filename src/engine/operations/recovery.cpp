// Recovery of unfinished transactions.
#include "topsctl/engine/operations/recovery.hpp"

#include <algorithm>

#include "engine/operations/single_undo.hpp"
#include "engine/operations/store_recovery.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/observation/observed_record.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/garbage_collection.hpp"
#include "topsctl/engine/transaction/interrupted_undo.hpp"
#include "topsctl/engine/transaction/kept_contents.hpp"
#include "topsctl/engine/transaction/last_active.hpp"
#include "topsctl/engine/transaction/snapshot_restore.hpp"
#include "topsctl/engine/transaction/soundness.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/engine/transaction/unexpected_changes.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"

namespace topsctl {

namespace {

// The journal reports no change; the last record may be missing.
bool may_be_unmodified(const Transaction& transaction) {
  return transaction.state() <= TransactionState::prepared;
}

// Compares the host with the backup, if the backup was complete: nothing was changed before that.
std::optional<RollbackProof> compared_with_kept(const Host& host, const Transaction& transaction) {
  const std::filesystem::path store = host.resolve(transaction.folder) / snapshot_folder;
  try {
    const Snapshot snapshot = load_snapshot(store);
    // Without the record that the backup is complete, a power cut may have left only its names.
    if (transaction.state() == TransactionState::begun)
      require_contents(check_contents(host, snapshot, store));
    return compare_with_snapshot(host, snapshot, store, Content::digest);
  } catch (const Error&) {
    if (transaction.state() == TransactionState::begun) return std::nullopt;
    throw;
  }
}

// Rolls back a transaction that was not confirmed; reasons against it become a warning.
void restore_unconfirmed(const Host& host, const Transaction& transaction, Recovery& recovery,
                         EventFan& events) {
  events.note(format("transaction {} was not confirmed: rolling it back", transaction.id));
  try {
    recovery.last = undo_unconfirmed(host, transaction, events);
    store_report(host, "recover", *recovery.last);
    recovery.warnings.push_back(
        format("transaction {} was not confirmed; {}", transaction.id, recovery.result()));
  } catch (const Error& error) {
    recovery.refused = error.within(format("transaction {} was not confirmed", transaction.id));
    recovery.warnings.push_back(
        format("transaction {} was not confirmed, and was not rolled back: {}", transaction.id,
               error.message()));
  }
}

void add_refusal(const Recovery& recovery, Execution& execution) {
  if (!recovery.refused || execution.error) return;
  execution.error = recovery.refused;
  execution.exit = exit_code(recovery.refused->code());
  execution.report.failed = true;
  if (!recovery.last) {
    execution.report.outcome.reset();
    execution.report.message = "nothing was changed";
  }
}

struct RestoreOptions {
  MissingBackup missing = MissingBackup::abort;
  Conflicts conflicts = Conflicts::refuse;
};

// Rolls back an interrupted transaction.
void restore_unfinished(const Host& host, const Transaction& transaction, RestoreOptions options,
                        Recovery& recovery, EventFan& events) {
  std::optional<RollbackProof> compared;
  if (may_be_unmodified(transaction)) {
    compared = compared_with_kept(host, transaction);
    if (!compared || compared->differing.empty()) {
      abandon_transaction(host, transaction, "it was interrupted before it changed anything");
      recovery.warnings.push_back(
          format("transaction {} was interrupted before it changed anything", transaction.id));
      return;
    }
    events.note(format("transaction {}: {} of {} backed-up paths differ from the host",
                       transaction.id, compared->differing.size(), compared->paths_checked));
  }
  adopt_observed(host, transaction);
  UndoPlan undo = plan_undo_of_interrupted(host, transaction, end_of_work_ns(host, transaction));
  if (!transaction.was_committed()) undo.reason = "it was interrupted before it finished";
  if (options.conflicts == Conflicts::refuse) {
    refuse_conflicts(transaction, undo, "`topsctl recover --force` rolls back everything anyway");
  }
  events.note(format("transaction {} was interrupted: rolling it back", transaction.id));
  recovery.last = undo_transaction(host, transaction, rollback_plan(transaction, "recover"), events,
                                   &undo, options.missing);
  recovery.last->report.compared = std::move(compared);
  const UnexpectedChanges escaped{undo.lost, undo.lost.size(), true};
  for (const std::string& path : undo.lost)
    recovery.last->report.escaped_paths.push_back(printable(path));
  if (std::string warning = warning_of(escaped); !warning.empty())
    recovery.warnings.push_back(std::move(warning));
  store_report(host, "recover", *recovery.last);
  recovery.warnings.push_back(
      format("transaction {} was interrupted; {}", transaction.id, recovery.result()));
}

void recover_one(const Host& host, const Transaction& transaction, RestoreOptions options,
                 Recovery& recovery, EventFan& events) {
  remove_garbage(host, transaction);
  if (transaction.is_unfinished() || is_undo_cut_off(host, transaction)) {
    restore_unfinished(host, transaction, options, recovery, events);
  } else if (is_abandoned(host, transaction)) {
    restore_unconfirmed(host, transaction, recovery, events);
  }
}

Recovery recover_from_store(const Host& host, EventFan& events) {
  Recovery recovery;
  const std::vector<ExaminedTransaction> all = examine_transactions(host);
  for (auto at = all.rbegin(); at != all.rend() && !recovery.has_failed(); ++at) {
    if (at->damage) {
      restore_from_store(host, *at, recovery, events);
    } else {
      recover_one(host, at->transaction, {MissingBackup::skip, Conflicts::restore}, recovery,
                  events);
    }
  }
  return recovery;
}

// Whether a recovery has work to do; without the lock, an active transaction may look like it.
bool has_work(const Host& host) {
  const std::vector<ExaminedTransaction> all = examine_transactions(host);
  return std::any_of(all.begin(), all.end(), [&](const ExaminedTransaction& examined) {
    const Transaction& t = examined.transaction;
    return examined.damage || t.is_unfinished() || has_garbage(host, t) || is_abandoned(host, t) ||
           is_undo_cut_off(host, t);
  });
}

std::vector<std::string> give_up_all_damaged(const Host& host) {
  std::vector<std::string> given_up;
  for (const ExaminedTransaction& examined : examine_transactions(host)) {
    if (!examined.damage) continue;
    give_up_damaged(host, examined);
    given_up.push_back(format("{}: given up; the host stays as it is", examined.damage->message()));
  }
  return given_up;
}

void give_up_unfinished(const Host& host, Execution& execution) {
  for (const Transaction& transaction : list_transactions(host)) {
    if (!transaction.is_unfinished() && !is_abandoned(host, transaction)) continue;
    give_up_transaction(host, transaction);
    execution.warnings.push_back(
        format("gave up transaction {}: the host stays as it is", transaction.id));
  }
}

}  // namespace

std::string Recovery::result() const {
  return has_failed() ? format("the host could not be rolled back completely")
                      : format("the host was rolled back to its state before it");
}

Recovery recover_unfinished(const Host& host, EventFan& events, Conflicts conflicts) {
  Recovery recovery;
  const std::vector<Transaction> transactions = sound_transactions(host);
  for (auto at = transactions.rbegin(); at != transactions.rend() && !recovery.has_failed(); ++at)
    recover_one(host, *at, {MissingBackup::abort, conflicts}, recovery, events);
  return recovery;
}

Execution with_recovery(const Recovery& recovery, const std::function<Execution()>& work) {
  Execution execution;
  try {
    execution = work();
  } catch (const Error& error) {
    if (!recovery.last) throw;
    execution = *recovery.last;
    execution.error = error;
    execution.exit = exit_code(error.code());
    execution.report.failed = true;
  }
  execution.warnings.insert(execution.warnings.begin(), recovery.warnings.begin(),
                            recovery.warnings.end());
  return execution;
}

Execution recover(const Host& host, Persistence persistence, std::int64_t lock_timeout_ms,
                  EventFan& events) {
  require_usable_host(host, Purpose::undo);
  Execution execution;
  execution.report.origin = origin_of(host);
  execution.report.root = host.root.string();
  execution.report.outcome = Outcome::no_change;
  execution.report.message = "no unfinished transaction";
  if (!has_work(host)) {
    execution.warnings = unfinished_warnings(host);
    return execution;
  }
  const ChangeLock lock(host, lock_timeout_ms, told_to(events), locks_of_undo(host));
  std::vector<std::string> given_up;
  if (persistence == Persistence::give_up) given_up = give_up_all_damaged(host);
  const auto conflicts = persistence == Persistence::force ? Conflicts::restore : Conflicts::refuse;
  Recovery recovery = persistence == Persistence::from_store
                          ? recover_from_store(host, events)
                          : recover_unfinished(host, events, conflicts);
  recovery.warnings.insert(recovery.warnings.begin(), given_up.begin(), given_up.end());
  if (recovery.last) {
    execution = std::move(*recovery.last);
  } else if (!recovery.warnings.empty()) {
    execution.report.message = joined(recovery.warnings, "; ");
  }
  add_refusal(recovery, execution);
  execution.warnings = std::move(recovery.warnings);
  if (execution.exit != ExitCode::done && persistence == Persistence::give_up)
    give_up_unfinished(host, execution);
  execution.report.locks = lock.reports();
  store_report(host, "recover", execution);
  return execution;
}

Execution restore_unless_confirmed(const Host& host, std::int64_t id, std::int64_t lock_timeout_ms,
                                   EventFan& events) {
  const ChangeLock lock(host, lock_timeout_ms, [](const std::string&) {});
  Recovery recovery;
  for (const Transaction& transaction : sound_transactions(host)) {
    if (transaction.id != id) continue;
    if (transaction.is_unfinished()) recovery = recover_unfinished(host, events);
    if (awaited_confirmation(transaction)) restore_unconfirmed(host, transaction, recovery, events);
  }
  Execution execution;
  execution.report.origin = origin_of(host);
  execution.report.root = host.root.string();
  execution.report.outcome = Outcome::no_change;
  execution.report.message = format("transaction {} needs no rollback", id);
  if (recovery.last) execution = std::move(*recovery.last);
  add_refusal(recovery, execution);
  execution.report.locks = lock.reports();
  execution.warnings = std::move(recovery.warnings);
  store_report(host, "recover", execution);
  return execution;
}

}  // namespace topsctl
