// Where transactions live on a machine: /var/lib/topsctl/transactions/ID, or with a user.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/journal.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/input_file.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// Where a transaction keeps its things, below its folder.
inline constexpr const char* snapshot_folder = "snapshot";
inline constexpr const char* after_folder = "after";
inline constexpr const char* undo_folder = "undo";
inline constexpr const char* packages_folder = "packages";
inline constexpr const char* temporary_folder = "tmp";
inline constexpr const char* reserved_folder = "reserved";
// What is needed no longer once a restore begins, or the transaction is over.
inline constexpr std::array<const char*, 3> working_folders = {packages_folder, temporary_folder,
                                                               reserved_folder};
inline constexpr const char* pip_report_file = "pip-report.json";
inline constexpr const char* stack_copy = "stack.json";  // the stack file that was given

// Patches of projects and installs stand beside each other: neither is undone, or removed, for the
// sake of the other.
struct Transaction {
  std::int64_t id = 0;
  std::string folder;  // as the machine sees it
  std::vector<JournalRecord> records;

  std::optional<TransactionState> state() const;  // nothing: not even begun
  // Neither committed nor restored: a crash came in between.
  bool is_unfinished() const;
  bool was_committed() const;  // at some time, also if it was restored later
  TransactionKind kind() const;
  // What a patch makes of each file: SHA-256 by canonical path. Empty for an install.
  std::map<std::string, std::string> patched() const;
};

struct FoundTransaction {
  Transaction transaction;      // without records if its journal is damaged
  std::optional<Error> damage;  // of the journal
};
// Of a command that begins now, for whoever called it.
Origin origin_of(const Host& host);

// All transactions, oldest first.
std::vector<FoundTransaction> find_transactions(const Host& host);

// The same for whoever needs all journals. Throws Error{journal_damaged}.
std::vector<Transaction> list_transactions(const Host& host);

// The summary that `history` shows.
TransactionSummary summary_of(const Transaction& transaction);

// Whether all that its programs changed was seen, as its journal says.
bool is_observed(const Transaction& transaction);

// What was kept for its undo, as its journal says.
WriteSetSummary kept_summary(const Transaction& transaction);

// What its own scan found to be changed outside its write set, as its journal says; fit to be
// shown. If it was observed, none of it is of its programs.
std::vector<std::string> escaped_paths_of(const Transaction& transaction);

// What appeared under /run and /var/log until its commit, as its journal says.
std::vector<std::string> volatile_paths_of(const Transaction& transaction);
// What was there when it began to change things; empty: not noted.
std::vector<std::string> volatile_paths_before(const Transaction& transaction);

// The lock and the stack file that it was made by, as its journal says.
std::vector<InputFile> inputs_of(const Transaction& transaction);

// The stack that it installed, and at which release; empty: none, or its journal does not say.
struct InstalledStack {
  std::string name;
  std::string release;
  bool is_of_file = false;  // of which a copy lies in its folder
};
InstalledStack stack_of(const Transaction& transaction);

// Makes the folder of a new transaction.
Transaction new_transaction(const Host& host);

// topsctl's own lock, held until the descriptor goes: one change at a time. Throws Error{busy},
// Error{permission}.
Descriptor take_own_lock(const Host& host, std::int64_t patience_ms,
                         const std::function<void(const std::string&)>& on_wait);

// The lock's file, if there is one and it may be read.
Descriptor opened_lock(const Host& host);
// Whether a topsctl holds the lock now.
bool is_at_work(const Host& host);

// For on_wait: an event that names the holder. `events` must outlive it.
std::function<void(const std::string&)> told_to(EventSink& events);

// The locks that a change needs, held until the object goes: topsctl's own and, where packages may
// change, dpkg's frontend lock.
enum class Locked { own_alone, with_dpkg };
// What undoing needs: no dpkg where there is none, and with a user who may not hold its lock.
Locked locks_of_undo(const Host& host);
class ChangeLock {
 public:
  // Throws Error{busy}, Error{permission}.
  ChangeLock(const Host& host, std::int64_t patience_ms,
             const std::function<void(const std::string&)>& on_wait,
             Locked locked = Locked::with_dpkg);
  std::vector<LockReport> reports() const;

 private:
  Descriptor own_;
  std::optional<DpkgFrontendLock> dpkg_;
};

// Of its scripts, as it was begun; one that does not say may have had any.
LastingEffects lasting_effects_of(const Transaction& transaction);

}  // namespace topsctl
