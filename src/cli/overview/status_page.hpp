// Where a host, or a fleet, stands: pages and text of the documents of `topsctl status`.
#pragma once

#include <string>

#include "cli/render.hpp"
#include "cli/report_page.hpp"
#include "topsctl/engine/status/fleet_status.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// The page of one host's document.
ReportPage status_page(const Json& document);
// Its facts in lines that fit, and what to type next. `where`: the host, if it is not typed here.
std::string status_text(const Json& document, const std::string& where, const Style& style);

// `targets`: those that the fleet was made of.
ReportPage fleet_page(const FleetStatus& fleet, const Json& targets);
// A line for each host with what differs, what all have in common, and the command to type next.
std::string fleet_text(const FleetStatus& fleet, const Json& targets, const std::string& next,
                       const Style& style);

}  // namespace topsctl
