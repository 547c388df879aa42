// New paths under /run and /var/log during an install: they are not backed up, and stay.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Sorted; two levels deep, because daemons and packages have their directories there. Without the
// logs of topsctl, the service manager and dpkg. Empty if the directories cannot be listed, or have
// too many entries to record.
std::vector<std::string> volatile_paths(const Host& host);

// The present paths that did not exist before, only the outermost; at most 20, printable.
std::vector<std::string> new_volatile_paths(const Host& host,
                                            const std::vector<std::string>& before);

// Messages about a transaction's paths that still exist; for an interrupted one, only those that
// have not changed since its end of work (end_of_work_ns, before the undo writes the journal).
std::vector<std::string> lines_on_volatile(const Host& host, const Transaction& transaction,
                                           std::int64_t end_ns);
// The message about one path that stays after a rollback.
std::string line_on_volatile(const std::string& path, std::int64_t transaction);

}  // namespace topsctl
