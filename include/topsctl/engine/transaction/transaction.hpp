// Where transactions are stored: /var/lib/topsctl/transactions/ID, or in a user's own state.
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

// Files and directories below the transaction's directory.
inline constexpr const char* snapshot_folder = "snapshot";
inline constexpr const char* after_folder = "after";
inline constexpr const char* undo_folder = "undo";
inline constexpr const char* packages_folder = "packages";
inline constexpr const char* temporary_folder = "tmp";
inline constexpr const char* reserved_folder = "reserved";
// Not needed after a rollback begins or the transaction ends.
inline constexpr std::array<const char*, 3> working_folders = {packages_folder, temporary_folder,
                                                               reserved_folder};
inline constexpr const char* pip_report_file = "pip-report.json";
inline constexpr const char* stack_copy = "stack.json";  // a copy of the stack file that was given

// Patches of projects and installs are independent: undoing or removing one never touches the
// other.
struct Transaction {
  std::int64_t id = 0;
  std::string folder;  // path on the host
  std::vector<JournalRecord> records;

  std::optional<TransactionState> state() const;  // nothing: no record yet
  // Neither committed nor restored: a crash interrupted it.
  bool is_unfinished() const;
  bool was_committed() const;  // true also if it was restored later
  TransactionKind kind() const;
  // SHA-256 of each patched file after the patch, by canonical path. Empty for an install.
  std::map<std::string, std::string> patched() const;
};

struct FoundTransaction {
  Transaction transaction;      // without records if its journal is damaged
  std::optional<Error> damage;  // of the journal
};
// The origin of a command that begins now: its caller.
Origin origin_of(const Host& host);

// All transactions, oldest first.
std::vector<FoundTransaction> find_transactions(const Host& host);

// The same for callers that need all journals. Throws Error{journal_damaged}.
std::vector<Transaction> list_transactions(const Host& host);

// The summary that `history` shows.
TransactionSummary summary_of(const Transaction& transaction);

// Whether all changes of its programs were observed, by its journal.
bool is_observed(const Transaction& transaction);

// The size of its backup, by its journal.
WriteSetSummary kept_summary(const Transaction& transaction);

// Changes outside its write set that its own scan found, by its journal; printable. If it was
// observed, none of them was made by its programs.
std::vector<std::string> escaped_paths_of(const Transaction& transaction);

// Paths that appeared under /run and /var/log until its commit, by its journal.
std::vector<std::string> volatile_paths_of(const Transaction& transaction);
// Those that existed before its first change; empty: not recorded.
std::vector<std::string> volatile_paths_before(const Transaction& transaction);

// The lock and the stack file of its install, by its journal.
std::vector<InputFile> inputs_of(const Transaction& transaction);

// The stack that it installed, and the release; empty: none, or not in its journal.
struct InstalledStack {
  std::string name;
  std::string release;
  bool is_of_file = false;  // from a stack file, with a copy in the transaction's directory
};
InstalledStack stack_of(const Transaction& transaction);
// The copy of its stack file. Throws Error{bad_stack} if it is gone.
std::filesystem::path copied_stack(const Host& host, const Transaction& transaction);

// Creates the directory of a new transaction.
Transaction new_transaction(const Host& host);

// Takes topsctl's own lock, which allows one change at a time; the descriptor holds it. Throws
// Error{busy}, Error{permission}.
Descriptor take_own_lock(const Host& host, std::int64_t timeout_ms,
                         const std::function<void(const std::string&)>& on_wait);

// Opens the lock file; an empty descriptor if it is missing or may not be read.
Descriptor opened_lock(const Host& host);
// Whether a topsctl process holds the lock now.
bool is_at_work(const Host& host);

// For on_wait: sends an event that names the holder. `events` must outlive it.
std::function<void(const std::string&)> told_to(EventSink& events);

// The locks that a change needs, held while the object lives: topsctl's own and, where packages may
// change, dpkg's frontend lock.
enum class Locked { own_alone, with_dpkg };
// The locks of a rollback: not dpkg's where there is no dpkg, or the user may not hold its lock.
Locked locks_of_undo(const Host& host);
class ChangeLock {
 public:
  // Throws Error{busy}, Error{permission}.
  ChangeLock(const Host& host, std::int64_t timeout_ms,
             const std::function<void(const std::string&)>& on_wait,
             Locked locked = Locked::with_dpkg);
  std::vector<LockReport> reports() const;

 private:
  Descriptor own_;
  std::optional<DpkgFrontendLock> dpkg_;
};

// Lasting effects of its scripts, recorded at the begin; all effects if the journal has none.
LastingEffects lasting_effects_of(const Transaction& transaction);

}  // namespace topsctl
