// Recovery of unfinished transactions.
#include "topsctl/engine/operations/recovery.hpp"

#include <algorithm>

#include "engine/operations/single_undo.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/rehearsal.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/engine/transaction/garbage_collection.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"

namespace topsctl {

namespace {

bool is_unmodified(const Transaction& transaction) {
  return transaction.state() <= TransactionState::prepared;
}

// A transaction that was not confirmed; what stands against its restore is a warning.
void restore_unconfirmed(const Host& host, const Transaction& transaction, Recovery& recovery,
                         EventFan& events) {
  events.note(
      format("transaction {} was not confirmed: restoring the state before it", transaction.id));
  try {
    recovery.last = undo_unconfirmed(host, transaction, events);
    store_report(host, "recover", *recovery.last);
    recovery.warnings.push_back(format("transaction {} was not confirmed; {}", transaction.id,
                                       recovery.has_failed()
                                           ? "the host could not be restored completely"
                                           : "the host is again as before it"));
  } catch (const Error& error) {
    recovery.refused = error.within(format("transaction {} was not confirmed", transaction.id));
    recovery.warnings.push_back(format("transaction {} was not confirmed, and is not restored: {}",
                                       transaction.id, error.message()));
  }
}

void add_refusal(const Recovery& recovery, Execution& execution) {
  if (!recovery.refused || execution.error) return;
  execution.error = recovery.refused;
  execution.exit = exit_code(recovery.refused->code());
  execution.report.failed = true;
  if (!recovery.last) {
    execution.report.outcome = Outcome::failed_before_change;
    execution.report.message = "nothing was changed";
  }
}

}  // namespace

Recovery recover_unfinished(const Host& host, EventFan& events) {
  remove_rehearsal(host);  // of one that was cut off
  Recovery recovery;
  const std::vector<Transaction> transactions = list_transactions(host);
  for (auto at = transactions.rbegin(); at != transactions.rend() && !recovery.has_failed(); ++at) {
    remove_garbage(host, *at);
    if (is_abandoned(host, *at)) restore_unconfirmed(host, *at, recovery, events);
    if (!at->is_unfinished()) continue;
    if (is_unmodified(*at)) {
      abandon_transaction(host, *at);
      recovery.warnings.push_back(
          format("transaction {} was cut off before it changed anything", at->id));
      continue;
    }
    events.note(format("transaction {} was cut off: restoring the state before it", at->id));
    recovery.last = undo_transaction(host, *at, rollback_plan(*at, "recover"), events);
    store_report(host, "recover", *recovery.last);
    recovery.warnings.push_back(format("transaction {} was cut off; {}", at->id,
                                       recovery.has_failed()
                                           ? "the host could not be restored completely"
                                           : "the host is again as before it"));
  }
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
  require_usable_host(host, Purpose::change);
  Execution execution;
  execution.report.root = host.root.string();
  execution.report.outcome = Outcome::no_change;
  execution.report.message = "no transaction is unfinished";
  const auto unfinished = [&] {
    std::vector<Transaction> transactions = list_transactions(host);
    std::erase_if(transactions, [&](const Transaction& t) {
      return !t.is_unfinished() && !is_abandoned(host, t);
    });
    return transactions;
  };
  const std::vector<Transaction> known = list_transactions(host);
  const bool has_work = std::any_of(known.begin(), known.end(), [&](const Transaction& t) {
    return t.is_unfinished() || has_garbage(host, t) || is_abandoned(host, t);
  });
  if (!has_work) {
    execution.warnings = unfinished_warnings(host);
    return execution;
  }
  const ChangeLock lock(host, lock_timeout_ms, told_to(events));
  Recovery recovery = recover_unfinished(host, events);
  if (recovery.last) {
    execution = std::move(*recovery.last);
  } else if (!recovery.warnings.empty()) {
    execution.report.message = joined(recovery.warnings, "; ");
  }
  add_refusal(recovery, execution);
  execution.warnings = std::move(recovery.warnings);
  if (execution.exit != ExitCode::done && persistence == Persistence::give_up) {
    for (const Transaction& transaction : unfinished()) {
      give_up_transaction(host, transaction);
      execution.warnings.push_back(
          format("transaction {} is given up: the host stays as it is", transaction.id));
    }
  }
  execution.report.locks = lock.reports();
  store_report(host, "recover", execution);
  return execution;
}

Execution restore_unless_confirmed(const Host& host, std::int64_t id, std::int64_t lock_timeout_ms,
                                   EventFan& events) {
  const ChangeLock lock(host, lock_timeout_ms, [](const std::string&) {});
  Recovery recovery;
  for (const Transaction& transaction : list_transactions(host)) {
    if (transaction.id != id) continue;
    if (transaction.is_unfinished()) recovery = recover_unfinished(host, events);
    if (awaited_confirmation(transaction)) restore_unconfirmed(host, transaction, recovery, events);
  }
  Execution execution;
  execution.report.root = host.root.string();
  execution.report.outcome = Outcome::no_change;
  execution.report.message = format("transaction {} needs no restore", id);
  if (recovery.last) execution = std::move(*recovery.last);
  add_refusal(recovery, execution);
  execution.report.locks = lock.reports();
  execution.warnings = std::move(recovery.warnings);
  store_report(host, "recover", execution);
  return execution;
}

}  // namespace topsctl
