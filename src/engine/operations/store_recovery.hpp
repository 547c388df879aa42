// Recovers from backups only, if journals are damaged.
#pragma once

#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/soundness.hpp"

namespace topsctl {

// Compares the transaction's backup with the host, reports the differences, and restores it; a
// transaction that had ended before a later one began only gets a new journal. The caller holds the
// ChangeLock. Throws Error{journal_damaged} if no part of the backup can be read.
void restore_from_store(const Host& host, const ExaminedTransaction& examined, Recovery& recovery,
                        EventFan& events);

// Marks such a transaction as ended; the host stays as it is.
void give_up_damaged(const Host& host, const ExaminedTransaction& examined);

}  // namespace topsctl
