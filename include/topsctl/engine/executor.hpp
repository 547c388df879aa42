// The only code that changes a machine: carries out plans, and puts back what they changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "topsctl/engine/events.hpp"
#include "topsctl/engine/snapshot.hpp"
#include "topsctl/engine/transaction.hpp"
#include "topsctl/host/connection.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

class Stage;
struct Undo;

// A report with the exit status it means and the failure it tells of.
struct Execution {
  TransactionReport report;
  ExitCode exit = ExitCode::done;
  std::optional<Error> error;
  std::vector<std::string> warnings;
};

struct Requester {
  std::string user;
  std::string command_line;    // as history shows it
  int confirm_timeout_s = 0;   // restore unless confirmed so soon after the commit; 0: needs none
  Connection connection = {};  // which may not confirm
};

// Carries out an install plan as one transaction: commits, or restores everything and proves it.
// The caller holds the ChangeLock. Throws only if nothing was changed; every later failure is in
// the result. `events` also gets the transaction's log while it runs. Packages come from `stage` as
// far as it has copies of them.
Execution execute_plan(const Host& host, const Stack& stack, const Plan& plan,
                       const Requester& requester, EventFan& events, Stage* stage = nullptr);

// Restores the snapshot of a transaction and proves it; used after a failure, by rollback and by
// recovery. Never throws: what went wrong is in the result, with exit code rolled_back or
// rollback_incomplete.
struct Restoration {
  RollbackProof proof;
  std::vector<std::string> failures;    // what could not be put back, and why
  std::vector<std::string> not_undone;  // what of services no restore of files brings back
  std::vector<std::string> synced_mounts;
  std::optional<Snapshot> snapshot;  // what was restored, if its record could be read
  bool complete() const { return failures.empty() && proof.differing.empty(); }
};
// With `undo`, which is made durable first, that is restored instead of the snapshot; so it is when
// a restore with one was cut off.
Restoration restore_transaction(const Host& host, const Transaction& transaction, EventSink& events,
                                const Undo* undo = nullptr);

// The plan of a rollback or recovery; `command` as the report shall name it.
Plan restoration_plan(const Transaction& transaction, const std::string& command);
// The report of such a plan before it is carried out.
Execution planned_undo(const Host& host, const Transaction& transaction, const Plan& plan);
// Carries it out, with the transaction's log; never throws for what cannot be put back.
Execution undo_transaction(const Host& host, const Transaction& transaction, const Plan& plan,
                           EventFan& events, const Undo* undo = nullptr);

// Marks a transaction that changed nothing as over, and removes its copies.
void abandon_transaction(const Host& host, const Transaction& transaction);
// Marks a transaction whose restore is incomplete as over, as a person has decided; the kept copies
// stay.
void give_up_transaction(const Host& host, const Transaction& transaction);

// Where a transaction keeps its things, below its folder.
inline constexpr const char* snapshot_folder = "snapshot";
inline constexpr const char* after_folder = "after";
inline constexpr const char* undo_folder = "undo";
inline constexpr const char* packages_folder = "packages";
inline constexpr const char* temporary_folder = "tmp";
inline constexpr const char* pip_report_file = "pip-report.json";

}  // namespace topsctl
