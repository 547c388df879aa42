// Confirms transactions that are otherwise rolled back: the operator shows, in time, that the host
// is still reachable.
#pragma once

#include <cstdint>
#include <string>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/host/network/connection.hpp"

namespace topsctl {

struct Confirmed {
  bool now = false;  // false: no confirmation was pending
  std::string at;    // RFC 3339, UTC
};
// Throws Error{unconfirmed} if the time is over, Error{host_unfit} if there is nothing to confirm
// or `connection` is the one that installed, Error{busy}.
Confirmed confirm(const Host& host, std::int64_t id, const Connection& connection,
                  const Requester& requester, std::int64_t lock_timeout_ms, EventFan& events);

}  // namespace topsctl
