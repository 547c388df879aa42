// Undoing one committed transaction: what rollback and the recovery of an unconfirmed one share.
#pragma once

#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

// Restores the state before a transaction that nobody confirmed, whatever others changed of it
// since; the caller holds the ChangeLock. Throws Error{host_unfit} while dpkg has work that is not
// finished.
Execution undo_unconfirmed(const Host& host, const Transaction& transaction, EventFan& events);

// Throws Error{host_unfit} if the undo has conflicts.
void refuse_conflicts(const Transaction& transaction, const UndoPlan& undo,
                      const std::string& way_out);

// Throws Error{host_unfit} if dpkg has not finished its last work.
void require_dpkg_at_rest(const Host& host);

// `execution` with what the undo leaves of others' changes as warnings.
Execution with_notes(Execution execution, const UndoPlan& undo);

}  // namespace topsctl
