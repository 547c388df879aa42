// Recovery by what is kept alone, where journals cannot be believed.
#pragma once

#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/soundness.hpp"

namespace topsctl {

// Compares what the transaction kept with the host, tells what differs, and restores it; one that
// had ended before a later one began gets a new journal only. The caller holds the ChangeLock.
// Throws Error{journal_damaged} if nothing that it kept can be read.
void restore_from_store(const Host& host, const ExaminedTransaction& examined, Recovery& recovery,
                        EventFan& events);

// Marks such a transaction as over; the host stays as it is.
void give_up_damaged(const Host& host, const ExaminedTransaction& examined);

}  // namespace topsctl
