// The result of a command that changes a host: its report and its exit status.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/base/error.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// A report with its exit status and error.
struct Execution {
  TransactionReport report;
  ExitCode exit = ExitCode::done;
  std::optional<Error> error;
  std::vector<std::string> warnings;
};

}  // namespace topsctl
