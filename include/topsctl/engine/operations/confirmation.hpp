// Transactions that are restored unless the operator shows, in time, that he can still reach the
// machine.
#pragma once

#include <cstdint>
#include <string>

#include "topsctl/base/events.hpp"
#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/engine/transaction/awaited_confirmation.hpp"
#include "topsctl/host/network/connection.hpp"

namespace topsctl {

struct Confirmed {
  bool now = false;  // not: none was awaited
  std::string at;    // RFC 3339, UTC
};
// Throws Error{unconfirmed} if it comes too late, Error{host_unfit} if there is nothing to confirm
// or `connection` is the one that installed, Error{busy}.
Confirmed confirm(const Host& host, std::int64_t id, const Connection& connection,
                  const Requester& requester, std::int64_t lock_timeout_ms, EventFan& events);

}  // namespace topsctl
