// Plans the rollback of an interrupted transaction on a host that other programs changed too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/undo_plan.hpp"

namespace topsctl {

// How far the transaction came is derived from the journal, the names of the write set, dpkg's
// records and file times. Changes after `end_ns` (end_of_work_ns) count as foreign, and so do
// changes that nothing attributes to the transaction. Backs up files that were moved outside the
// write set first (complete_snapshot). With records of earlier versions of topsctl, all changes
// count as the transaction's. Throws Error{host_unfit} if another program's dpkg was interrupted
// since.
UndoPlan plan_undo_of_interrupted(const Host& host, const Transaction& transaction,
                                  std::int64_t end_ns);

// What such a rollback would refuse without --force: paths of the transaction that others changed
// since (UndoPlan::conflicts). Changes nothing, and needs no lock. Throws Error if records of the
// transaction cannot be read.
std::vector<std::string> conflicts_of_interrupted(const Host& host, const Transaction& transaction);

}  // namespace topsctl
