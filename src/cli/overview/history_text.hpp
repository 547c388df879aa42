// The history of a host as text.
#pragma once

#include <string>
#include <vector>

#include "cli/render.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// The names of the first files, on one line.
std::string bundle_text(const GivenBundle& bundle);
// A transaction, and its installed stack: "topsrider-t2x 2.5.136"; empty: a patch, or unknown.
struct HistoryLine {
  TransactionSummary summary;
  std::string stack;
};
// One line each, with as many columns as fit.
std::string render_history(const std::vector<HistoryLine>& transactions, const Style& style);
// All known data of one transaction.
std::string render_transaction(const HistoryLine& transaction, const Style& style);

}  // namespace topsctl
