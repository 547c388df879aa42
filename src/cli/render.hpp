// Reports as text for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/model/execution.hpp"
#include "topsctl/model/report.hpp"

namespace topsctl {

// Width for lines if there is no terminal.
inline constexpr std::size_t text_columns = 100;

// The capabilities of the terminal.
struct Style {
  bool colors = false;
  std::size_t columns = 0;  // of the terminal; 0: none
  std::size_t width() const { return columns == 0 ? text_columns : columns; }
  std::string bold(const std::string& text) const;
  std::string green(const std::string& text) const;
  std::string yellow(const std::string& text) const;
  std::string red(const std::string& text) const;
  std::string dim(const std::string& text) const;
};

// Columns as wide as their widest cell, separated by two blanks, each line indented by two. The
// first row is the heading. On a terminal that is too narrow, text of the last column continues on
// the next line; if the other columns are too wide for that, a row has several lines. Nothing is
// shortened.
std::string table(const std::vector<std::vector<std::string>>& rows, const Style& style);

// Columns of the table, on a terminal of any width.
std::size_t table_width(const std::vector<std::vector<std::string>>& rows);

// Lines of a label and its value; long values continue below their beginning.
std::string labelled_lines(const std::vector<std::pair<std::string, std::string>>& facts,
                           const Style& style);

std::string render_error(const Error& error, const Style& style);
std::string render_plan(const Plan& plan, const Style& style);
std::string render_execution(const Execution& execution, const Style& style);
// The final state of the transaction, on one line.
std::string render_state(const TransactionReport& report, const Style& style);
std::string render_checks(const std::vector<CheckResult>& checks, const Style& style);

}  // namespace topsctl
