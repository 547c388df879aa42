// The report of a transaction as HTML.
#pragma once

#include <string>

#include "cli/report_page.hpp"

namespace topsctl {

// One file that needs no other; every text is escaped.
std::string report_html(const ReportPage& page);

}  // namespace topsctl
