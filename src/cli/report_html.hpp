// The report of a transaction as HTML.
#pragma once

#include <string>

#include "cli/report_page.hpp"

namespace topsctl {

// A self-contained file; all text is escaped.
std::string report_html(const ReportPage& page);

}  // namespace topsctl
