// The status of one or several hosts: pages and text of the documents of `topsctl status`.
#pragma once

#include <string>

#include "cli/render.hpp"
#include "cli/report_page.hpp"
#include "topsctl/engine/status/fleet_status.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// The page of one host's document.
ReportPage status_page(const Json& document);
// Its facts in lines that fit, and the next command. `where`: the host, if it is not this one.
std::string status_text(const Json& document, const std::string& where, const Style& style);

// `targets`: the targets of the documents.
ReportPage fleet_page(const FleetStatus& fleet, const Json& targets);
// One line per host with its differences, the common values, and the next command.
std::string fleet_text(const FleetStatus& fleet, const Json& targets, const std::string& next,
                       const Style& style);

}  // namespace topsctl
