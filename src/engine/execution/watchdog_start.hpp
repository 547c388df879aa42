// Starts the process that rolls a transaction back unless it is confirmed in time.
#pragma once

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Starts `topsctl recover --unless-confirmed ID` as a process that outlives this one and its
// terminal, before the transaction is committed: none that must be confirmed is ever without a
// watcher, unless that is killed. Throws Error{host_unfit} if it does not come to watch.
void start_watchdog(const Host& host, const Transaction& transaction);

}  // namespace topsctl
