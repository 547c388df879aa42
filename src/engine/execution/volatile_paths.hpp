// What appears under /run and /var/log while an install is at work: it is not backed up, and stays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Sorted; two levels deep, as daemons and packages have their folders there. Topsctl's own logs are
// left out, and what the service manager and dpkg have of their own.
// Empty if the folders cannot be listed, or hold too much to be noted.
std::vector<std::string> volatile_paths(const Host& host);

// Those of now that were not there, the outermost alone; at most 20, fit to be shown.
std::vector<std::string> new_volatile_paths(const Host& host,
                                            const std::vector<std::string>& before);

// What is said of those of a transaction that are there still; of one that came to no end, of those
// that have not changed since its end of work (end_of_work_ns, before the undo writes the journal).
std::vector<std::string> lines_on_volatile(const Host& host, const Transaction& transaction,
                                           std::int64_t end_ns);
// What is said of one that stays after a rollback.
std::string line_on_volatile(const std::string& path, std::int64_t transaction);

}  // namespace topsctl
