// The first record of an install's journal.
#pragma once

#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// For whom, by which command and when, and what of packages it changes.
Json begun_details(const Host& host, const TransactionReport& report, const Requester& requester);

// The same of the record that all is kept.
Json prepared_details(const WriteSetSummary& summary);

}  // namespace topsctl
