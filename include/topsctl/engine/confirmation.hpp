// Transactions that are restored unless the operator shows, in time, that he can still reach the
// machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "topsctl/engine/events.hpp"
#include "topsctl/engine/executor.hpp"
#include "topsctl/engine/transaction.hpp"
#include "topsctl/host/connection.hpp"

namespace topsctl {

// What the record of a commit says of it.
struct AwaitedConfirmation {
  std::string until;        // RFC 3339, UTC
  Connection installed_by;  // which may not confirm
};
Json to_json(const AwaitedConfirmation& awaited);
// Nothing: it is not committed, needs none, or has it.
std::optional<AwaitedConfirmation> awaited_confirmation(const Transaction& transaction);

// Whether a watcher waits for the end of the time; a watcher that died does not count.
bool is_watched(const Host& host, const Transaction& transaction);
// Awaits a confirmation, and nobody would restore it: as good as unfinished.
bool is_abandoned(const Host& host, const Transaction& transaction);

struct Confirmed {
  bool now = false;  // not: none was awaited
  std::string at;    // RFC 3339, UTC
};
// Throws Error{unconfirmed} if it comes too late, Error{host_unfit} if there is nothing to confirm
// or `connection` is the one that installed, Error{busy}.
Confirmed confirm(const Host& host, std::int64_t id, const Connection& connection,
                  const Requester& requester, std::int64_t lock_timeout_ms, EventFan& events);

// Throws Error{busy} while a transaction awaits its confirmation: another on top of it could not be
// told apart from it when it is restored.
void refuse_unconfirmed(const Host& host);

}  // namespace topsctl
