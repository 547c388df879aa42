// How much room on the disk the copies of a transaction take.
#pragma once

#include <cstdint>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

// Bytes that a transaction keeps on the disk.
std::uint64_t bytes_on_disk(const Host& host, const Transaction& transaction);

}  // namespace topsctl
