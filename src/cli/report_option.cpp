// Checks and writes the file of --report.
#include "cli/report_option.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/option_table.hpp"
#include "cli/report_html.hpp"
#include "cli/report_page.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/given_files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

void add_report_option(OptionTable& table, std::string& file) {
  table.value("--report", file, "Also write the report to this file", "FILE.json|.txt|.html");
}

void require_report_place(const std::string& report) {
  if (report.empty()) return;
  const fs::path file = fs::absolute(report);
  const std::string form = file.extension().string();
  if (form != ".json" && form != ".txt" && form != ".html") {
    throw Error(ErrorCode::usage, format("unrecognized report format: {}", in_quotes(report)),
                "name a file that ends in .json, .txt or .html");
  }
  require_folder_of(report);
  if (::access(file.parent_path().c_str(), W_OK) != 0) {
    throw system_error(errno, "write a report to", file.parent_path().string(), ErrorCode::usage);
  }
  // It would be replaced by a file.
  std::error_code ignored;
  const auto status = fs::symlink_status(file, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorCode::usage,
                format("cannot write a report to {}: not a regular file", in_quotes(report)),
                "name a new file; --json writes the report to standard output");
  }
}

void write_report(const std::string& report, const std::string& command, const Execution& execution,
                  Output& output) {
  if (report.empty()) return;
  const Json document = execution_document(command, execution);
  write_report(report, document, report_page(document), output);
}

void write_report(const std::string& report, const Json& document, const ReportPage& page,
                  Output& output) {
  if (report.empty()) return;
  const fs::path file = fs::absolute(report);
  const std::string form = file.extension().string();
  const std::string bytes = form == ".json"  ? to_text(document)
                            : form == ".txt" ? report_text(page, Style{})
                                             : report_html(page);
  try {
    write_plainly(file, bytes, 0644);
  } catch (const Error& error) {
    output.header.warnings.push_back(error.message());
  }
}

}  // namespace topsctl
