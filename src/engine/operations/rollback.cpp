// Undoing committed transactions.
#include "topsctl/engine/operations/rollback.hpp"

#include <algorithm>
#include <functional>

#include "engine/operations/single_undo.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/services.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/host/facts/usable_host.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

bool is_committed(const Transaction& transaction) {
  return transaction.state() == TransactionState::committed;
}

// The kind that is rolled back if no transaction is named.
TransactionKind usual_kind(const Host& host) {
  return host.is_of_user() ? TransactionKind::patch : TransactionKind::install;
}

// The committed transactions to roll back, newest first: the chosen one last. Rolling back an
// install includes later installs; a patch is rolled back alone.
std::vector<Transaction> chosen_transactions(const Host& host, const RollbackRequest& request) {
  std::vector<Transaction> transactions = list_transactions(host);
  const bool any = !transactions.empty();
  TransactionKind kind = usual_kind(host);
  if (request.id) {
    const auto found = std::find_if(transactions.begin(), transactions.end(),
                                    [&](const Transaction& t) { return t.id == *request.id; });
    if (found == transactions.end()) {
      throw Error(ErrorCode::host_unfit, format("no transaction {} on this host", *request.id),
                  "`topsctl history` lists them");
    }
    if (found->state() == TransactionState::pruned) {
      throw Error(ErrorCode::host_unfit,
                  format("cannot roll back transaction {}: its backup was removed", *request.id),
                  "only the latest transactions are kept; `topsctl history` shows them");
    }
    if (!is_committed(*found)) {
      const std::string outcome = summary_of(*found).outcome;
      throw Error(
          ErrorCode::host_unfit,
          outcome == name(Outcome::rolled_back) ||
                  outcome == name(Outcome::rolled_back_with_differences)
              ? format("transaction {} is already rolled back", *request.id)
              : format("cannot roll back transaction {}: its outcome is {}", *request.id, outcome),
          "`topsctl history` shows which transactions are committed");
    }
    kind = found->kind();
  }
  std::erase_if(transactions,
                [&](const Transaction& t) { return !is_committed(t) || t.kind() != kind; });
  if (transactions.empty()) {
    throw Error(ErrorCode::host_unfit,
                any ? format("nothing to roll back: no {} is committed", name(kind))
                    : "nothing to roll back: topsctl has installed nothing on this host",
                "`topsctl history` lists what topsctl has done on this host");
  }
  std::reverse(transactions.begin(), transactions.end());
  const std::int64_t last = request.id.value_or(transactions.front().id);
  std::erase_if(transactions, [&](const Transaction& t) {
    return t.id < last || (kind == TransactionKind::patch && t.id > last);
  });
  return transactions;
}

bool changes_packages(const Host& host, const RollbackRequest& request) {
  return chosen_transactions(host, request).front().kind() == TransactionKind::install;
}

struct PlannedUndo {
  Transaction transaction;
  UndoPlan undo;
};

// All undo plans, each based on the host as the previous ones leave it. Throws Error{host_unfit}
// before any change if one of them is impossible.
std::vector<PlannedUndo> planned_undos(const Host& host, const RollbackRequest& request) {
  std::vector<PlannedUndo> undos;
  ProjectedState view(host);
  for (Transaction& transaction : chosen_transactions(host, request)) {
    throw_if_interrupted();
    UndoPlan undo = undo_of(view, transaction);
    undos.push_back({std::move(transaction), std::move(undo)});
    if (!request.force) {
      refuse_conflicts(undos.back().transaction, undos.back().undo,
                       "add --force to roll back everything anyway");
    }
    view.pretend(undos.back().undo, undos.back().transaction);
  }
  return undos;
}

// One report of several undos, newest first.
void add_execution(Execution& whole, const Execution& part) {
  TransactionReport& report = whole.report;
  const TransactionReport& other = part.report;
  report.transaction = other.transaction;
  report.message = other.message;
  report.log = other.log;
  report.outcome = other.outcome;
  report.failed = other.failed;
  report.changed = report.changed || other.changed;
  report.plan->steps.insert(report.plan->steps.end(), other.plan->steps.begin(),
                            other.plan->steps.end());
  report.steps.insert(report.steps.end(), other.steps.begin(), other.steps.end());
  report.phases.insert(report.phases.end(), other.phases.begin(), other.phases.end());
  report.logs.insert(report.logs.end(), other.logs.begin(), other.logs.end());
  for (const PackageChange& change : other.packages) {
    const auto same = std::find_if(report.packages.begin(), report.packages.end(),
                                   [&](const PackageChange& p) { return p.name == change.name; });
    if (same == report.packages.end()) {
      report.packages.push_back(change);
    } else {
      same->after = change.after;
    }
  }
  report.stops.insert(report.stops.end(), other.stops.begin(), other.stops.end());
  report.write_set.paths += other.write_set.paths;
  report.write_set.bytes += other.write_set.bytes;
  report.write_set.linked += other.write_set.linked;
  report.write_set.copied += other.write_set.copied;
  if (other.rollback) {
    report.rollback->paths_checked += other.rollback->paths_checked;
    report.rollback->differing.insert(report.rollback->differing.end(),
                                      other.rollback->differing.begin(),
                                      other.rollback->differing.end());
  }
  for (const std::string& line : other.not_restored) {
    const auto known = std::find(report.not_restored.begin(), report.not_restored.end(), line);
    if (known == report.not_restored.end()) report.not_restored.push_back(line);
  }
  for (const std::string& mount : other.synced_mounts) {
    const auto known = std::find(report.synced_mounts.begin(), report.synced_mounts.end(), mount);
    if (known == report.synced_mounts.end()) report.synced_mounts.push_back(mount);
  }
  whole.warnings.insert(whole.warnings.end(), part.warnings.begin(), part.warnings.end());
  whole.exit = part.exit;
  whole.error = part.error;
}

// Does `work` for each undo until one fails.
Execution for_all(const std::vector<PlannedUndo>& undos,
                  const std::function<Execution(const PlannedUndo&, const Plan&)>& work) {
  std::optional<Execution> whole;
  for (const PlannedUndo& planned : undos) {
    Execution part = work(planned, rollback_plan(planned.transaction, "rollback"));
    if (whole) {
      add_execution(*whole, part);
    } else {
      whole = std::move(part);
    }
    if (whole->exit != ExitCode::done) break;
  }
  return std::move(*whole);
}

// The whole plan, before any change.
Execution plan_of(const Host& host, const std::vector<PlannedUndo>& undos) {
  return for_all(undos, [&](const PlannedUndo& planned, const Plan& plan) {
    Execution part = with_notes(planned_undo(host, planned.transaction, plan), planned.undo);
    part.report.stops = stopped_units(host, planned.undo.snapshot);
    return part;
  });
}

}  // namespace

Execution roll_back(const Host& host, const RollbackRequest& request, EventFan& events) {
  require_usable_host(host, request.dry_run ? Purpose::look_back : Purpose::undo);
  if (request.dry_run) {
    refuse_plan_of_unfinished(host);
    Execution execution = plan_of(host, planned_undos(host, request));
    for (std::string& warning : unfinished_warnings(host))
      execution.warnings.push_back(std::move(warning));
    return execution;
  }
  // Creates nothing on a host that topsctl never changed.
  if (list_transactions(host).empty()) static_cast<void>(chosen_transactions(host, request));
  const ChangeLock lock(host, request.lock_timeout_ms, told_to(events), locks_of_undo(host));
  const Recovery recovery = recover_unfinished(host, events);
  // If the operator wanted to undo the interrupted transaction, the recovery has already done so:
  // then nothing is left to do.
  const bool is_undone =
      recovery.last && (!request.id || recovery.last->report.transaction == request.id);
  if (recovery.has_failed() || is_undone) {
    return with_recovery(recovery, [&] { return *recovery.last; });
  }
  return with_recovery(recovery, [&] {
    if (changes_packages(host, request)) require_dpkg_at_rest(host);
    const std::vector<PlannedUndo> undos = planned_undos(host, request);
    if (request.approve && !request.approve(plan_of(host, undos))) {
      throw Error(ErrorCode::interrupted, "not rolled back: the plan was not approved",
                  "answer y, or give --yes");
    }
    UndoTurn turn{0, undos.size()};
    return for_all(undos, [&](const PlannedUndo& planned, const Plan& plan) {
      ++turn.index;
      Execution part = with_notes(undo_transaction(host, planned.transaction, plan, events,
                                                   &planned.undo, MissingBackup::abort, turn),
                                  planned.undo);
      part.report.locks = lock.reports();
      store_report(host, "rollback", part);
      return part;
    });
  });
}

}  // namespace topsctl
