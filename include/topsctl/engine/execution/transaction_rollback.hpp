// Restores what a transaction changed, and verifies the result.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

struct UndoPlan;

// Result of restoring a transaction's snapshot; used after a failure, by rollback and by recovery.
// The restore never throws: errors are in the result.
struct RollbackResult {
  RollbackProof proof;
  std::vector<std::string> failures;    // paths that could not be restored, and why
  std::vector<std::string> not_undone;  // effects on services that restoring files does not undo
  std::vector<std::string> synced_mounts;
  std::vector<std::string> kept_of_others;  // from UndoPlan; printable
  bool has_begun = false;                   // something may have been changed
  // Whether space or descriptors were lacking: `recover` can continue when they are available.
  // Other failures may have the same cause, such as a directory that could not be created.
  bool can_go_on = false;
  bool complete() const { return failures.empty() && proof.differing.empty(); }
  // For an incomplete restore: the outcome, the exit status and the error.
  Outcome outcome() const;
  ExitCode exit_status() const;
  Error error(const Transaction& transaction) const;
};
// If backup copies are missing: restore nothing, or restore the rest.
enum class MissingBackup { abort, skip };
// Restores `undo` instead of the snapshot if given, after writing it durably; an interrupted
// rollback with an undo plan continues with that plan.
RollbackResult roll_back_transaction(const Host& host, const Transaction& transaction,
                                     EventSink& events, const UndoPlan* undo = nullptr,
                                     MissingBackup missing = MissingBackup::abort);

// Restores within a failed install; `reason` says why. Undoes only the transaction's own changes.
// An empty reason means that it changed only times: it then ends as a transaction without a change.
RollbackResult restore_at_work(const Host& host, const Transaction& transaction, EventSink& events,
                               const std::string& reason);

// Sets outcome and message of a complete rollback, with the number of paths that may differ.
void end_rolled_back(TransactionReport& report, const Transaction& transaction,
                     std::size_t differing);
// The message of an incomplete rollback.
std::string restore_message(const Transaction& transaction, const RollbackResult& result);

// The plan of a rollback or recovery; `command` is the name for the report.
Plan rollback_plan(const Transaction& transaction, const std::string& command);
// The report of such a plan before it is applied.
Execution planned_undo(const Host& host, const Transaction& transaction, const Plan& plan);
// Position in a series of rollbacks, for progress output.
struct UndoTurn {
  std::size_t index = 1;
  std::size_t total = 1;
};
// Applies the plan, with the transaction's log; never throws for paths that cannot be restored.
Execution undo_transaction(const Host& host, const Transaction& transaction, const Plan& plan,
                           EventFan& events, const UndoPlan* undo = nullptr,
                           MissingBackup missing = MissingBackup::abort, UndoTurn turn = {});

// Marks a transaction that changed nothing as ended, with this reason, and removes its backup.
void abandon_transaction(const Host& host, const Transaction& transaction,
                         const std::string& reason);
// Marks a transaction with an incomplete rollback as ended, by --give-up; its backup stays.
void give_up_transaction(const Host& host, const Transaction& transaction);

}  // namespace topsctl
