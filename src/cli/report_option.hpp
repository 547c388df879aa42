// The option --report of commands that change hosts.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/report_page.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {

void add_report_option(OptionTable& table, std::string& file);

// Call before any change, so that an unwritable report is detected in time. Does nothing for an
// empty name. Throws Error{usage}.
void require_report_place(const std::string& file);

// Writes the report of such a command in the form that the file's name asks for: .json, .txt or
// .html. A failure becomes a warning of the output.
void write_report(const std::string& file, const std::string& command, const Execution& execution,
                  Output& output);
// The same for any document and its page.
void write_report(const std::string& file, const Json& document, const ReportPage& page,
                  Output& output);

}  // namespace topsctl
