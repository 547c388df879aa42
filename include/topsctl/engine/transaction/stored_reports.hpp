// Reports that are stored with a transaction, for retrieval by its id.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// The document that a command writes for this result.
Json execution_document(const std::string& command, const Execution& execution);

// Adds the digests of the raw logs to the report, and stores it durably with its transaction, if
// the report is of this command and has a transaction. A write error becomes a warning in
// `execution`. The caller holds the ChangeLock, so that no other command sees an ended transaction
// without its report.
void store_report(const Host& host, const std::string& command, Execution& execution);

// The documents of install and, if it was undone, of rollback or recover, oldest first. A document
// that a crash kept from being written is rebuilt from the journal and marked so. Empty for a
// transaction that has not ended.
std::vector<Json> reports_of(const Host& host, const Transaction& transaction);

}  // namespace topsctl
