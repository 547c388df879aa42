// The process that rolls back a transaction unless it is confirmed in time.
#pragma once

#include <cstdint>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

// Implements `topsctl recover --unless-confirmed ID`: waits until the transaction is confirmed or
// ended, or rolls it back when the time is over, SIGTERM comes, or the committing install has died.
// Throws Error{busy} if another watcher is active.
Execution watch(const Host& host, std::int64_t id, EventFan& events);

}  // namespace topsctl
