// Ends a transaction by restoring its snapshot.
#include "topsctl/engine/execution/transaction_rollback.hpp"

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/execution/volatile_paths.hpp"
#include "topsctl/base/log_sink.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/phase_timer.hpp"
#include "topsctl/engine/execution/services.hpp"
#include "topsctl/engine/observation/observed_record.hpp"
#include "topsctl/engine/transaction/garbage_collection.hpp"
#include "topsctl/engine/transaction/interrupted_undo.hpp"
#include "topsctl/engine/transaction/journal.hpp"
#include "topsctl/engine/transaction/last_active.hpp"
#include "topsctl/engine/transaction/reserved_room.hpp"
#include "topsctl/engine/transaction/snapshot_restore.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/host/filesystem/change_rights.hpp"
#include "topsctl/host/filesystem/removal.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

// The restore that is announced now, or was interrupted.
struct Announced {
  bool is_undo = false;  // of a committed transaction, on a host that other programs may have
                         // changed since
  bool rebuild_loader_cache = false;
};

Announced announced_by(const Transaction& transaction) {
  Announced announced;
  for (const JournalRecord& record : transaction.records) {
    if (record.state != TransactionState::restoring) continue;
    const Json& details = record.details;
    announced = {details.value("undo", false), details.value("loader_cache", false)};
  }
  return announced;
}

// Fails with a warning only: the cache is an index, and the next ldconfig rebuilds it.
void rebuild_loader_cache(const Host& host, EventSink& events) {
  constexpr std::int64_t timeout_ms = 120'000;
  const RunResult result = host.runner->run(host.command({"ldconfig"}, timeout_ms));
  if (!result.ok()) events.warning(format("ldconfig failed: {}", result.ending()));
}

void remove_kept(const fs::path& folder) {
  for (const char* name : {snapshot_folder, undo_folder}) remove_tree(folder / name);
}

// Before the first change of an intact host.
void require_room(const Host& host, const fs::path& folder, const Snapshot& snapshot) {
  reserve_room(host, folder, snapshot);
  remove_tree(folder / reserved_folder);
}

// The restore to announce; an undo that was interrupted before its record continues too.
Announced restore_to_announce(const Host& host, const Transaction& transaction,
                              const UndoPlan* undo) {
  if (undo != nullptr) {
    try {
      write_undo(host, *undo, transaction);
    } catch (const Error&) {
      // There may be no space for it. Without foreign changes, the backup leads to the same result.
      if (transaction.was_committed() || !undo->kept_of_others.empty()) throw;
      return announced_by(transaction);
    }
    return {true, undo->rebuild_loader_cache};
  }
  if (transaction.state() == TransactionState::committed)
    return {true, leaves_loader_cache(host, transaction)};
  return announced_by(transaction);
}

// Whether it is on record now.
bool announce(Journal& journal, const Transaction& transaction, const Announced& announced,
              const std::string& reason) {
  try {
    journal.append(TransactionState::restoring, {{"undo", announced.is_undo},
                                                 {"loader_cache", announced.rebuild_loader_cache},
                                                 {"reason", text_or_null(reason)}});
    return true;
  } catch (const Error&) {
    // Only the rollback of a committed transaction must be announced: all others are known to be
    // unfinished.
    if (transaction.state() == TransactionState::committed) throw;
    return false;
  }
}

void restore_and_prove(const Host& host, const Transaction& transaction, EventSink& events,
                       const UndoPlan* undo, MissingBackup missing, RollbackResult& result) {
  const fs::path folder = host.resolve(transaction.folder);
  const fs::path store = folder / snapshot_folder;
  remove_working_folders(folder);  // the disk may be full of them
  const Announced announced = restore_to_announce(host, transaction, undo);
  const Snapshot snapshot = announced.is_undo ? load_undo(host, transaction) : load_snapshot(store);
  const KeptContents contents = check_contents(host, snapshot, store);
  const bool is_refusable = transaction.state() == TransactionState::committed;
  try {
    if (missing == MissingBackup::abort) require_contents(contents);
    if (is_refusable) require_room(host, folder, snapshot);
  } catch (const Error&) {
    // If the missing file is put back later, the plan would look like an interrupted undo.
    if (undo != nullptr && is_refusable) remove_tree(folder / undo_folder);
    throw;
  }
  Journal journal(folder / "journal");
  const bool is_announced =
      announce(journal, transaction, announced, undo == nullptr ? "" : undo->reason);
  result.has_begun = true;
  // Touches of an unannounced restore would count as the transaction's own activity.
  std::optional<LastActive> last_active;
  if (is_announced) last_active.emplace(folder);
  const bool was_committed = transaction.was_committed();
  if (undo != nullptr && transaction.kind() == TransactionKind::install)
    result.not_undone = stop_services(host, transaction, snapshot, events);
  for (RestoreFailure& failure : restore_snapshot(host, snapshot, store, contents)) {
    result.can_go_on = result.can_go_on || failure.is_passing;
    result.failures.push_back(std::move(failure.line));
  }
  if (announced.rebuild_loader_cache) rebuild_loader_cache(host, events);
  if (undo != nullptr && was_committed && transaction.kind() == TransactionKind::install)
    reload_service_manager(host, events);
  result.proof = compare_with_snapshot(host, snapshot, store);
  result.synced_mounts = sync_mounts(host, snapshot);
  // Only a proven restore ends the transaction: else it stays unfinished, and `recover` tries
  // again.
  if (!result.complete()) return;
  journal.append(TransactionState::restored,
                 {{"paths_checked", result.proof.paths_checked},
                  {"differing", 0},
                  {"was_changed", true},
                  {"only_times", undo != nullptr && undo->is_of_times}});
  if (last_active) last_active->end();
  remove_working_folders(folder);
  remove_kept(folder);
}

// For any exception: the caller must continue to restore the host.
void add_failure(const std::exception& failure, RollbackResult& result) {
  const auto* error = dynamic_cast<const Error*>(&failure);
  if (error == nullptr) {
    result.failures.emplace_back(printable(failure.what()));
    return;
  }
  result.can_go_on = result.can_go_on || is_passing(error->code());
  result.failures.push_back(error->message());
  if (!error->hint().empty()) result.failures.push_back(error->hint());
}

}  // namespace

Outcome RollbackResult::outcome() const {
  return !failures.empty() && can_go_on ? Outcome::unfinished : Outcome::rollback_incomplete;
}

ExitCode RollbackResult::exit_status() const {
  return outcome() == Outcome::unfinished ? ExitCode::unfinished : ExitCode::rollback_incomplete;
}

Error RollbackResult::error(const Transaction& transaction) const {
  if (outcome() == Outcome::unfinished) {
    return Error(
        ErrorCode::unfinished, format("the rollback is unfinished: {}", failures.front()),
        format("free some space, and run `topsctl recover`: it continues from the backups in {}",
               transaction.folder));
  }
  return Error(ErrorCode::rollback_incomplete,
               failures.empty() ? format("{} paths differ from the backup", proof.differing.size())
                                : failures.front(),
               format("fix the cause and run `topsctl recover`, or accept the host as it is with "
                      "`topsctl recover --give-up`; the backups are in {}",
                      transaction.folder));
}

void end_rolled_back(TransactionReport& report, const Transaction& transaction,
                     std::size_t differing) {
  report.outcome = differing == 0 ? Outcome::rolled_back : Outcome::rolled_back_with_differences;
  if (differing > 0) {
    report.message =
        format("rolled back; {} outside the write set may differ", counted(differing, "path"));
  } else if (transaction.kind() == TransactionKind::patch) {
    report.message = format("the project is as it was before transaction {}", transaction.id);
  } else {
    report.message = format("the host is as it was before transaction {}", transaction.id);
  }
}

std::string restore_message(const Transaction& transaction, const RollbackResult& result) {
  return result.outcome() == Outcome::unfinished
             ? format(
                   "the rollback of transaction {} is unfinished: free some space, and run "
                   "`topsctl recover`",
                   transaction.id)
             : format("the rollback of transaction {} is incomplete: manual repair needed",
                      transaction.id);
}

RollbackResult restore_at_work(const Host& host, const Transaction& transaction, EventSink& events,
                               const std::string& reason) {
  // The transaction is still active: no time separates its own changes from foreign ones.
  constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
  std::optional<UndoPlan> undo;
  RollbackResult result;
  try {
    // There may have been no space to write the observed record.
    remove_working_folders(host.resolve(transaction.folder));
    adopt_observed(host, transaction);
    undo = plan_undo_of_interrupted(host, transaction, no_end);
    undo->is_of_times = reason.empty();
    undo->reason = reason;
  } catch (const std::exception& error) {
    add_failure(error, result);
    events.warning(result.failures.front());
    return result;
  }
  return roll_back_transaction(host, transaction, events, &*undo);
}

RollbackResult roll_back_transaction(const Host& host, const Transaction& transaction,
                                     EventSink& events, const UndoPlan* undo,
                                     MissingBackup missing) {
  RollbackResult result;
  if (undo != nullptr) {
    for (const std::string& path : undo->kept_of_others)
      result.kept_of_others.push_back(printable(path));
  }
  try {
    restore_and_prove(host, transaction, events, undo, missing, result);
  } catch (const std::exception& error) {
    add_failure(error, result);
  }
  for (const std::string& failure : result.failures) events.warning(failure);
  return result;
}

Plan rollback_plan(const Transaction& transaction, const std::string& command) {
  Plan plan;
  plan.command = command;
  plan.kind = transaction.kind();
  std::vector<std::string> not_restored;
  if (plan.kind == TransactionKind::install)
    not_restored = sentences_on(lasting_effects_of(transaction));
  plan.steps.push_back({"restore",
                        format("roll back to the state before transaction {}", transaction.id),
                        RestoreWriteSet{transaction.id}, std::move(not_restored)});
  return plan;
}

namespace {

std::vector<std::string> lines_on_escaped(const Transaction& transaction) {
  const bool was_observed = is_observed(transaction);
  std::vector<std::string> lines;
  for (const std::string& path : escaped_paths_of(transaction)) {
    lines.push_back(
        was_observed
            ? format("{}: changed by others during transaction {}", path, transaction.id)
            : format("{}: changed by transaction {}, but not backed up", path, transaction.id));
  }
  return lines;
}

std::vector<PackageChange> reversed_changes(const Transaction& transaction) {
  std::vector<PackageChange> changes = summary_of(transaction).packages;
  for (PackageChange& change : changes) std::swap(change.before, change.after);
  return changes;
}

void take_result(const Transaction& transaction, const RollbackResult& restoration,
                 Execution& execution) {
  TransactionReport& report = execution.report;
  report.rollback = restoration.proof;
  report.changed = true;
  report.synced_mounts = restoration.synced_mounts;
  report.kept_of_others = restoration.kept_of_others;
  report.not_restored.insert(report.not_restored.end(), restoration.not_undone.begin(),
                             restoration.not_undone.end());
  report.not_restored.insert(report.not_restored.end(), restoration.failures.begin(),
                             restoration.failures.end());
  if (restoration.complete()) {
    end_rolled_back(report, transaction,
                    is_observed(transaction) ? 0 : escaped_paths_of(transaction).size());
    return;
  }
  report.failed = true;
  execution.exit = restoration.exit_status();
  execution.error = restoration.error(transaction);
  if (restoration.has_begun || transaction.state() != TransactionState::committed) {
    report.outcome = restoration.outcome();
    report.message = restore_message(transaction, restoration);
    return;
  }
  report.outcome = Outcome::failed_before_change;
  report.changed = false;
  report.message = "nothing was changed";
  if (restoration.outcome() != Outcome::unfinished) return;
  execution.exit = ExitCode::host_unfit;
  execution.error = Error(ErrorCode::no_space, restoration.failures.front(),
                          "free some space, and run the same command again");
}

}  // namespace

Execution planned_undo(const Host& host, const Transaction& transaction, const Plan& plan) {
  Execution execution;
  TransactionReport& report = execution.report = pending_report(plan);
  report.origin = origin_of(host);
  report.transaction = transaction.id;
  report.root = host.root.string();
  report.packages = reversed_changes(transaction);
  report.write_set = kept_summary(transaction);
  report.not_restored = plan.steps.front().not_restored;
  for (std::string& line : lines_on_escaped(transaction))
    report.not_restored.push_back(std::move(line));
  report.message = "nothing was changed: this is the plan";
  return execution;
}

Execution undo_transaction(const Host& host, const Transaction& transaction, const Plan& plan,
                           EventFan& events, const UndoPlan* undo, MissingBackup missing,
                           UndoTurn turn) {
  Execution execution = planned_undo(host, transaction, plan);
  TransactionReport& report = execution.report;
  report.log = concat(host.logs, "/", transaction.id, ".log");
  EventFan all = events;
  std::optional<LogSink> log;
  try {
    const fs::path logs = host.resolve(host.logs);
    make_closed_folder(logs);
    all.add(&log.emplace(logs / concat(transaction.id, ".log")));
  } catch (const std::exception& error) {
    // A missing log is no reason to leave a host half changed.
    execution.warnings.emplace_back(printable(error.what()));
    report.log.clear();
  }
  const std::string& description = plan.steps.front().description;
  all.step_started(turn.index, turn.total, description);
  const auto started = host.clock->steady();
  PhaseTimer phases(*host.clock);
  phases.enter("restore");
  const std::int64_t end_ns = end_of_work_ns(host, transaction);
  take_result(transaction, roll_back_transaction(host, transaction, all, undo, missing), execution);
  for (std::string& line : lines_on_volatile(host, transaction, end_ns))
    report.not_restored.push_back(std::move(line));
  report.phases = phases.finish();
  StepResult& step = report.steps.front();
  step.duration_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(host.clock->steady() - started).count();
  const bool done = is_rolled_back(report.outcome);
  step.status = done ? StepStatus::done : StepStatus::failed;
  step.detail = format("{} paths checked, {} differ", report.rollback->paths_checked,
                       report.rollback->differing.size());
  all.step_finished(turn.index, turn.total, description, step.duration_ms, done);
  return execution;
}

void abandon_transaction(const Host& host, const Transaction& transaction,
                         const std::string& reason) {
  const fs::path folder = host.resolve(transaction.folder);
  // First, because these files may fill the disk and leave no space for the journal. The backup is
  // removed only before its announcing record exists: without that record it is not needed.
  remove_working_folders(folder);
  const std::vector<JournalRecord> records = read_journal(folder / "journal");
  if (records.empty() || records.back().state == TransactionState::begun) remove_kept(folder);
  Journal journal(folder / "journal");
  journal.append(TransactionState::restored, {{"paths_checked", 0},
                                              {"differing", 0},
                                              {"was_changed", false},
                                              {"reason", text_or_null(reason)}});
  remove_kept(folder);
}

void give_up_transaction(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.resolve(transaction.folder);
  RollbackProof proof;
  try {
    const fs::path store = folder / snapshot_folder;
    proof = compare_with_snapshot(host, load_snapshot(store), store, Content::digest);
  } catch (const Error&) {
    proof.differing.push_back("unknown: the snapshot cannot be read");
  }
  Journal journal(folder / "journal");
  journal.append(TransactionState::restored, {{"paths_checked", proof.paths_checked},
                                              {"differing", proof.differing.size()},
                                              {"was_changed", true},
                                              {"gave_up", true}});
  remove_working_folders(folder);
}

}  // namespace topsctl
