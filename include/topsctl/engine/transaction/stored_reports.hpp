// The reports that stay with a transaction, so that they can be fetched by its id.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// The document that a command writes for such a result.
Json execution_document(const std::string& command, const Execution& execution);

// Digests the raw logs into the report, and stores it durably with its transaction, if it is a
// report of this command and has one. What cannot be written is a warning in `execution`. The
// caller holds the ChangeLock, so that nobody finds a transaction at its end without its report.
void store_report(const Host& host, const std::string& command, Execution& execution);

// The documents of install and, if it was undone, of rollback or recover, oldest first. One that a
// crash kept from being written is rebuilt from the journal, and says so. None for a transaction
// that has not come to an end.
std::vector<Json> reports_of(const Host& host, const Transaction& transaction);

}  // namespace topsctl
