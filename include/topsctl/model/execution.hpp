// What a command that changes a host came to: its report, and the exit status that it means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// A report with the exit status it means and the failure it tells of.
struct Execution {
  TransactionReport report;
  ExitCode exit = ExitCode::done;
  std::optional<Error> error;
  std::vector<std::string> warnings;
};

}  // namespace topsctl
