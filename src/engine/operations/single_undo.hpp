// Undoes one committed transaction: shared by rollback and by the recovery of an unconfirmed one.
#pragma once

#include "topsctl/base/events.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/undo_plan.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

// Restores the state before an unconfirmed transaction, even if other programs changed its files
// since; the caller holds the ChangeLock. Throws Error{host_unfit} while dpkg has unfinished work.
Execution undo_unconfirmed(const Host& host, const Transaction& transaction, EventFan& events);

// Throws Error{host_unfit} if the undo has conflicts.
void refuse_conflicts(const Transaction& transaction, const UndoPlan& undo,
                      const std::string& way_out);

// Throws Error{host_unfit} if dpkg has not finished its last work.
void require_dpkg_at_rest(const Host& host);

// Adds the foreign changes that the undo leaves as warnings to `execution`.
Execution with_notes(Execution execution, const UndoPlan& undo);

}  // namespace topsctl
