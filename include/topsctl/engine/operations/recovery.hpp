// Recovering from transactions that a crash cut off.
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
  std::vector<std::string> warnings;  // one for each transaction that was unfinished
  std::optional<Execution> last;      // of the last restore that was tried
  std::optional<Error> refused;       // why one that nobody confirmed stays as it is
  bool has_failed() const { return last && last->exit != ExitCode::done; }
  // What the last restore came to, as the end of a sentence.
  std::string result() const;
};

// Restores every unfinished transaction, and every one that awaits a confirmation and that nobody
// watches, newest first, up to the first that cannot be restored completely; the caller holds the
// ChangeLock. A transaction whose journal says that nothing was changed is believed only if the
// host is as it was kept. Throws Error{journal_damaged} before anything is done if a journal or a
// store cannot be believed. What others did meanwhile and since stays; where they have changed what
// the transaction changed too, throws Error{host_unfit}, or restores that all the same.
enum class Conflicts { refuse, restore };
Recovery recover_unfinished(const Host& host, EventFan& events,
                            Conflicts conflicts = Conflicts::refuse);

// Carries out what comes after a recovery, with the recovery's warnings added. If it throws
// although the recovery has changed the machine, the failure becomes an Execution that says so.
Execution with_recovery(const Recovery& recovery, const std::function<Execution()>& work);

// What to do with a transaction that cannot be restored completely, or is damaged.
enum class Persistence {
  retry,
  force,      // restore also what somebody else has changed since
  give_up,    // mark it as over; the host stays as it is
  from_store  // restore what can be restored of it, whatever its journal says
};

// The command `recover`: takes the lock and does just that.
Execution recover(const Host& host, Persistence persistence, std::int64_t lock_timeout_ms,
                  EventFan& events);

// What a watcher does in the end: takes the lock and restores this transaction unless it is
// confirmed or over. Throws Error{busy}.
Execution restore_unless_confirmed(const Host& host, std::int64_t id, std::int64_t lock_timeout_ms,
                                   EventFan& events);

}  // namespace topsctl
