// Derives the state to restore from a store, and writes a valid journal.
#include "engine/operations/store_recovery.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/observation/observed_record.hpp"
#include "topsctl/engine/transaction/interrupted_undo.hpp"
#include "topsctl/engine/transaction/last_active.hpp"
#include "topsctl/engine/transaction/snapshot_restore.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

using State = TransactionState;

std::optional<Snapshot> readable_snapshot(const fs::path& store) {
  try {
    return load_snapshot(store);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The readable beginning of the journal, if it belongs to this transaction.
Json own_beginning(const Host& host, const Transaction& transaction) {
  Json begun = readable_beginning(host.resolve(transaction.folder) / "journal");
  const bool is_own = begun.value("transaction", transaction.id) == transaction.id;
  return is_own ? std::move(begun) : Json::object();
}

// The state to restore, and the records with which an interrupted restore continues.
struct StoreRestore {
  Snapshot snapshot;
  std::vector<JournalRecord> records;
};

StoreRestore undo_restore(const Host& host, const Transaction& transaction, const Json& begun) {
  const Json details = {{"undo", true}, {"loader_cache", leaves_loader_cache(host, transaction)}};
  return {load_undo(host, transaction),
          {{State::begun, begun}, {State::committed}, {State::restoring, details}}};
}

// Continues a rollback that had begun; undoes a completed transaction like a rollback, which keeps
// later foreign changes; else restores everything.
StoreRestore chosen_restore(const Host& host, const Transaction& transaction) {
  const fs::path folder = host.resolve(transaction.folder);
  const Json begun = own_beginning(host, transaction);
  try {
    const bool has_begun = has_undo_begun(host, transaction);
    if (!has_begun && has_record(folder / after_folder))
      write_undo(host, undo_of(ProjectedState(host), transaction), transaction);
    if (has_begun || has_record(folder / after_folder))
      return undo_restore(host, transaction, begun);
  } catch (const Error&) {
    // A record may be unreadable: the first one suffices.
  }
  if (!readable_snapshot(folder / snapshot_folder)) {
    throw Error(ErrorCode::journal_damaged,
                format("transaction {} is damaged, and its backup cannot be read", transaction.id),
                way_out_without_backup());
  }
  adopt_observed(host, transaction);
  const UndoPlan undo =
      plan_undo_of_interrupted(host, transaction, end_of_work_ns(host, transaction));
  write_undo(host, undo, transaction);
  const Json details = {{"undo", true}, {"loader_cache", undo.rebuild_loader_cache}};
  return {load_undo(host, transaction), {{State::begun, begun}, {State::restoring, details}}};
}

// It can still be rolled back if its backup is complete.
void end_past(const Host& host, const Transaction& transaction, Recovery& recovery) {
  const fs::path folder = host.resolve(transaction.folder);
  const bool is_whole = readable_snapshot(folder / snapshot_folder).has_value() &&
                        readable_snapshot(folder / after_folder).has_value();
  std::vector<JournalRecord> records = {{State::begun, own_beginning(host, transaction)},
                                        {State::committed}};
  if (!is_whole) records.push_back({State::pruned});
  rewrite_journal(folder / "journal", records);
  recovery.warnings.push_back(
      is_whole
          ? format("transaction {} ended before a later one began: its journal was rewritten",
                   transaction.id)
          : format("transaction {} ended before a later one began: it can no longer be rolled back",
                   transaction.id));
}

void tell(const Transaction& transaction, const RollbackProof& compared, EventFan& events) {
  events.note(format("transaction {}: {} of {} backed-up paths differ from the host",
                     transaction.id, compared.differing.size(), compared.paths_checked));
  constexpr std::size_t most_told = 50;
  const std::size_t told = std::min(compared.differing.size(), most_told);
  for (std::size_t i = 0; i < told; ++i) events.note(concat("  ", compared.differing[i]));
  if (told < compared.differing.size())
    events.note(format("  and {} more", compared.differing.size() - told));
}

}  // namespace

void restore_from_store(const Host& host, const ExaminedTransaction& examined, Recovery& recovery,
                        EventFan& events) {
  Transaction transaction = examined.transaction;
  const fs::path folder = host.resolve(transaction.folder);
  const bool is_undone = has_undo_begun(host, transaction);
  if (examined.is_superseded && !is_undone) return end_past(host, transaction, recovery);
  if (transaction.state() == State::committed && !is_undone) {
    Journal(folder / "journal").append(State::pruned, Json::object());
    recovery.warnings.push_back(
        format("{}: it can no longer be rolled back", examined.damage->message()));
    return;
  }
  StoreRestore restore = chosen_restore(host, transaction);
  const RollbackProof compared =
      compare_with_snapshot(host, restore.snapshot, folder / snapshot_folder, Content::digest);
  tell(transaction, compared, events);
  rewrite_journal(folder / "journal", restore.records);
  transaction.records = std::move(restore.records);
  recovery.last = undo_transaction(host, transaction, rollback_plan(transaction, "recover"), events,
                                   nullptr, MissingBackup::skip);
  recovery.last->report.compared = compared;
  store_report(host, "recover", *recovery.last);
  recovery.warnings.push_back(format("{}; {}", examined.damage->message(), recovery.result()));
}

void give_up_damaged(const Host& host, const ExaminedTransaction& examined) {
  const Transaction& transaction = examined.transaction;
  const fs::path journal = host.resolve(transaction.folder) / "journal";
  if (transaction.state() == State::committed) {
    Journal(journal).append(State::pruned, Json::object());
    return;
  }
  if (!transaction.state())
    rewrite_journal(journal, {{State::begun, own_beginning(host, transaction)}});
  give_up_transaction(host, transaction);
}

}  // namespace topsctl
