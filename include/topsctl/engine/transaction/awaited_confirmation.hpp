// Commits that are rolled back unless they are confirmed in time, and the watcher that waits.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/network/connection.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/host/system/waiting.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// Lock file in the transaction's directory; the watcher process holds a lock on it.
inline constexpr const char* watchdog_file = "watcher";

// A pending confirmation, as the commit's journal record has it.
struct AwaitedConfirmation {
  std::string until;        // RFC 3339, UTC
  Connection installed_by;  // this connection may not confirm
  // The same deadline by the steady clock of one boot, because the wall clock may be set.
  std::string start;  // boot ID; empty: unknown
  std::chrono::nanoseconds until_steady{};
};
// A confirmation that is due at least `seconds` from now.
AwaitedConfirmation confirmation_within(const Host& host, std::chrono::seconds seconds,
                                        const Connection& installed_by);
Json to_json(const AwaitedConfirmation& awaited);
// Nothing if the transaction is not committed, needs no confirmation or is confirmed.
std::optional<AwaitedConfirmation> awaited_confirmation(const Transaction& transaction);

// Zero or less once the time is over: then it is rolled back and can no longer be confirmed.
std::chrono::nanoseconds time_left(const Host& host, const AwaitedConfirmation& awaited);

// Whether a watcher waits for the deadline; a watcher that died does not count.
bool is_watched(const Host& host, const Transaction& transaction);
// Returns when no process watches the transaction, a signal comes or the time is over.
void wait_until_unwatched(const Host& host, const Transaction& transaction, const WaitLimit& limit);
// Whether it awaits a confirmation without a watcher that would roll it back. Counts as unfinished.
bool is_abandoned(const Host& host, const Transaction& transaction);

}  // namespace topsctl
