// The option --report of commands that change hosts.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/report_page.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

void add_report_option(OptionTable& table, std::string& file);

// Before anything is changed: a report that cannot be written must not come as a surprise
// afterwards. Nothing for an empty name. Throws Error{usage}.
void require_report_place(const std::string& file);

// Writes the report of such a command in the form that the file's name asks for: .json, .txt or
// .html. A failure becomes a warning of the output.
void write_report(const std::string& file, const std::string& command, const Execution& execution,
                  Output& output);
// The same of any document, and the page of it.
void write_report(const std::string& file, const Json& document, const ReportPage& page,
                  Output& output);

}  // namespace topsctl
