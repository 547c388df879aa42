// Commits that are rolled back unless they are confirmed in time, and who waits for that.
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

// In the transaction's folder; whoever watches holds a lock on it.
inline constexpr const char* watchdog_file = "watcher";

// What the record of a commit says of it.
struct AwaitedConfirmation {
  std::string until;        // RFC 3339, UTC
  Connection installed_by;  // which may not confirm
  // The same time by the steady clock of one start of the machine, as the other one may be set.
  std::string start;  // empty: not known
  std::chrono::nanoseconds until_steady{};
};
// That it is to be confirmed at least `seconds` from now.
AwaitedConfirmation confirmation_within(const Host& host, std::chrono::seconds seconds,
                                        const Connection& installed_by);
Json to_json(const AwaitedConfirmation& awaited);
// Nothing: it is not committed, needs none, or has it.
std::optional<AwaitedConfirmation> awaited_confirmation(const Transaction& transaction);

// Zero or less once the time is over: then it is restored, and no longer confirmed.
std::chrono::nanoseconds time_left(const Host& host, const AwaitedConfirmation& awaited);

// Whether a watcher waits for the end of the time; a watcher that died does not count.
bool is_watched(const Host& host, const Transaction& transaction);
// Returns when no process watches it, a signal comes or the time is over.
void wait_until_unwatched(const Host& host, const Transaction& transaction, const WaitLimit& limit);
// Awaits a confirmation, and nobody would restore it: as good as unfinished.
bool is_abandoned(const Host& host, const Transaction& transaction);

}  // namespace topsctl
