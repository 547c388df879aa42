// Puts back what a transaction changed, and proves it.
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

// Restores the snapshot of a transaction and proves it; used after a failure, by rollback and by
// recovery. Never throws: what went wrong is in the result.
struct RollbackResult {
  RollbackProof proof;
  std::vector<std::string> failures;    // what could not be put back, and why
  std::vector<std::string> not_undone;  // what of services no restore of files brings back
  std::vector<std::string> synced_mounts;
  std::vector<std::string> kept_of_others;  // UndoPlan has them; fit to be shown
  bool has_begun = false;                   // something may have been changed
  // Whether something lacked room or descriptors: `recover` goes on when they are there. What else
  // failed may have failed for that, as in a folder that could not be made.
  bool can_go_on = false;
  bool complete() const { return failures.empty() && proof.differing.empty(); }
  // Of one that is not complete: how it stands, and what the exit status and the error are.
  Outcome outcome() const;
  ExitCode exit_status() const;
  Error error(const Transaction& transaction) const;
};
// What to do about kept copies that are missing: nothing at all, or all the rest.
enum class Lost { refuse, leave };
// With `undo`, which is made durable first, that is restored instead of the snapshot; so it is when
// a restore with one was cut off.
RollbackResult roll_back_transaction(const Host& host, const Transaction& transaction,
                                     EventSink& events, const UndoPlan* undo = nullptr,
                                     Lost lost = Lost::refuse);

// The restore within an install that fails for this reason: of what is there, the transaction's own
// alone is undone. Without a reason it has changed nothing but times, and ends as one without a
// change.
RollbackResult restore_at_work(const Host& host, const Transaction& transaction, EventSink& events,
                               const std::string& reason);

// Outcome and message of one that is complete, with so many paths that may differ.
void end_rolled_back(TransactionReport& report, const Transaction& transaction,
                     std::size_t differing);
// What a report says of one that is not complete.
std::string restore_message(const Transaction& transaction, const RollbackResult& result);

// The plan of a rollback or recovery; `command` as the report shall name it.
Plan rollback_plan(const Transaction& transaction, const std::string& command);
// The report of such a plan before it is carried out.
Execution planned_undo(const Host& host, const Transaction& transaction, const Plan& plan);
// Which of several undos it is, for who follows them.
struct UndoTurn {
  std::size_t index = 1;
  std::size_t total = 1;
};
// Carries it out, with the transaction's log; never throws for what cannot be put back.
Execution undo_transaction(const Host& host, const Transaction& transaction, const Plan& plan,
                           EventFan& events, const UndoPlan* undo = nullptr,
                           Lost lost = Lost::refuse, UndoTurn turn = {});

// Marks a transaction that changed nothing as over, for this reason, and removes its copies.
void abandon_transaction(const Host& host, const Transaction& transaction,
                         const std::string& reason);
// Marks a transaction whose restore is incomplete as over, as a person has decided; the kept copies
// stay.
void give_up_transaction(const Host& host, const Transaction& transaction);

}  // namespace topsctl
