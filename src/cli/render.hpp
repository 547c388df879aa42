// Reports as text for people.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// Whether to use the terminal's colours.
struct Style {
  bool colors = false;
  std::string bold(const std::string& text) const;
  std::string green(const std::string& text) const;
  std::string yellow(const std::string& text) const;
  std::string red(const std::string& text) const;
  std::string dim(const std::string& text) const;
};

// Columns as wide as their widest cell, two blanks between, each line indented by two. The first
// row is the heading.
std::string table(const std::vector<std::vector<std::string>>& rows, const Style& style);

std::string render_error(const Error& error, const Style& style);
std::string render_plan(const Plan& plan, const Style& style);
std::string render_execution(const Execution& execution, const Style& style);
std::string render_checks(const std::vector<CheckResult>& checks, const Style& style);
std::string render_history(const std::vector<TransactionSummary>& transactions, const Style& style);

}  // namespace topsctl
