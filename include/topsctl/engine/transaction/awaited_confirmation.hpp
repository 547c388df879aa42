// Commits that are rolled back unless they are confirmed in time, and who waits for that.
#pragma once

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
};
Json to_json(const AwaitedConfirmation& awaited);
// Nothing: it is not committed, needs none, or has it.
std::optional<AwaitedConfirmation> awaited_confirmation(const Transaction& transaction);

// Whether a watcher waits for the end of the time; a watcher that died does not count.
bool is_watched(const Host& host, const Transaction& transaction);
// Returns when no process watches it, a signal comes or the time is over.
void wait_until_unwatched(const Host& host, const Transaction& transaction, const WaitLimit& limit);
// Awaits a confirmation, and nobody would restore it: as good as unfinished.
bool is_abandoned(const Host& host, const Transaction& transaction);

}  // namespace topsctl
