// What undoing a transaction that came to no end means on a machine on which others were at work
// too.
#pragma once

#include <cstdint>

#include "topsctl/engine/transaction/undo_plan.hpp"

namespace topsctl {

// As far as it had come is what the journal, the write set's names, dpkg's records and the times of
// the files tell; what was changed after `end_ns` (end_of_work_ns), and what nothing says to be its
// own, is somebody else's. What was moved beside the write set is kept first (complete_snapshot).
// Of records of earlier versions of topsctl, all is its own. Throws Error{host_unfit} if dpkg was
// interrupted by somebody else since.
UndoPlan undo_of_cut_off(const Host& host, const Transaction& transaction, std::int64_t end_ns);

}  // namespace topsctl
