// The process that restores a transaction unless it is confirmed in time.
#pragma once

#include <cstdint>
#include <string>

#include "topsctl/engine/events.hpp"
#include "topsctl/engine/executor.hpp"

namespace topsctl {

// In the transaction's folder; whoever watches holds a lock on it.
inline constexpr const char* watcher_file = "watcher";

// Starts `topsctl recover --unless-confirmed ID` as a process that outlives this one and its
// terminal, before the transaction is committed: none that must be confirmed is ever without a
// watcher, unless that is killed. Throws Error{host_unfit} if it does not come to watch.
void start_watcher(const Host& host, const Transaction& transaction);

// That command: waits until the transaction is confirmed or over, or restores it once the time is
// over, SIGTERM comes, or the install that was to commit it has died. Throws Error{busy} if another
// watches already.
Execution watch(const Host& host, std::int64_t id, EventFan& events);

}  // namespace topsctl
