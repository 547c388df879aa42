// Recovers from interrupted transactions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

struct Recovery {
  std::vector<std::string> warnings;  // one per unfinished transaction
  std::optional<Execution> last;      // of the last rollback
  std::optional<Error> refused;       // why an unconfirmed transaction was not rolled back
  bool has_failed() const { return last && last->exit != ExitCode::done; }
  // The result of the last rollback, as the end of a sentence.
  std::string result() const;
};

// Rolls back each unfinished transaction, and each that awaits a confirmation without a watcher,
// newest first; stops at the first incomplete rollback. The caller holds the ChangeLock. Does not
// trust a journal that reports no change: compares the host with the backup. Throws
// Error{journal_damaged} before any change if a journal or a store is damaged. Keeps foreign
// changes; if they affect paths that the transaction changed too, throws Error{host_unfit}, or
// restores those paths anyway.
enum class Conflicts { refuse, restore };
Recovery recover_unfinished(const Host& host, EventFan& events,
                            Conflicts conflicts = Conflicts::refuse);

// Runs `work` after a recovery and adds the recovery's warnings. If `work` throws after the
// recovery changed the host, the failure becomes an Execution that reports it.
Execution with_recovery(const Recovery& recovery, const std::function<Execution()>& work);

// How to handle a transaction that cannot be restored completely, or is damaged.
enum class Persistence {
  retry,
  force,      // restore also files that another program changed since
  give_up,    // mark it as ended; the host stays as it is
  from_store  // restore as much as possible, even with a damaged journal
};

// The command `recover`: takes the lock and recovers.
Execution recover(const Host& host, Persistence persistence, std::int64_t lock_timeout_ms,
                  EventFan& events);

// The watcher's last step: takes the lock and rolls this transaction back unless it is confirmed or
// ended. Throws Error{busy}.
Execution restore_unless_confirmed(const Host& host, std::int64_t id, std::int64_t lock_timeout_ms,
                                   EventFan& events);

}  // namespace topsctl
