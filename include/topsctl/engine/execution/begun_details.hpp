// The first record of an install's journal.
#pragma once

#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// The report of a plan before any of its steps has run.
TransactionReport begun_report(const Host& host, const Plan& plan, const Requester& requester);

// The host, requester, command line, start time, bundle, and the package changes.
Json begun_details(const TransactionReport& report, const Requester& requester);

// One line for history: the failure, the step that failed, and the first sentence of the failed
// program.
std::string reason_of(const Error& error);

// Details of the record that the backup is complete.
Json prepared_details(const WriteSetSummary& summary);

}  // namespace topsctl
