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
};

// Restores every unfinished transaction, and every one that awaits a confirmation and that nobody
// watches, newest first, up to the first that cannot be restored completely; the caller holds the
// ChangeLock.
Recovery recover_unfinished(const Host& host, EventFan& events);

// Carries out what comes after a recovery, with the recovery's warnings added. If it throws
// although the recovery has changed the machine, the failure becomes an Execution that says so.
Execution with_recovery(const Recovery& recovery, const std::function<Execution()>& work);

// What to do with a transaction that cannot be restored completely.
enum class Persistence { retry, give_up };

// The command `recover`: takes the lock and does just that. With `give_up` such transactions are
// marked as over instead.
Execution recover(const Host& host, Persistence persistence, std::int64_t lock_timeout_ms,
                  EventFan& events);

// What a watcher does in the end: takes the lock and restores this transaction unless it is
// confirmed or over. Throws Error{busy}.
Execution restore_unless_confirmed(const Host& host, std::int64_t id, std::int64_t lock_timeout_ms,
                                   EventFan& events);

}  // namespace topsctl
