// The process that restores a transaction unless it is confirmed in time.
#pragma once

#include <cstdint>

#include "topsctl/base/events.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

// What `topsctl recover --unless-confirmed ID` does: waits until the transaction is confirmed or
// over, or restores it once the time is over, SIGTERM comes, or the install that was to commit it
// has died. Throws Error{busy} if another watches already.
Execution watch(const Host& host, std::int64_t id, EventFan& events);

}  // namespace topsctl
