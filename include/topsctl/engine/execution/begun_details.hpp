// The first record of an install's journal.
#pragma once

#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// The report of a plan of which nothing is done yet.
TransactionReport begun_report(const Host& host, const Plan& plan, const Requester& requester);

// Where, for whom, by which command and when, of which bundle, and what of packages it changes.
Json begun_details(const TransactionReport& report, const Requester& requester);

// What a failure was, in one line with what was done then, and the first sentence of the program
// that failed: as history tells it.
std::string reason_of(const Error& error);

// The same of the record that all is kept.
Json prepared_details(const WriteSetSummary& summary);

}  // namespace topsctl
