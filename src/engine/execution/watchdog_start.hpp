// Starts the process that rolls a transaction back unless it is confirmed in time.
#pragma once

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Starts `topsctl recover --unless-confirmed ID` as a process that outlives this one and its
// terminal, before the transaction is committed, so that an unconfirmed transaction always has a
// watcher, unless that is killed. Throws Error{host_unfit} if the watcher does not start.
void start_watchdog(const Host& host, const Transaction& transaction);

}  // namespace topsctl
