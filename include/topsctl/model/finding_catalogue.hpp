// The texts of each kind of finding: title, severity, cause and remedy, read from data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/finding.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

// The finding of that id (src/data/findings/*.json, src/data/rules/maintainer-scripts.json) for one
// subject. Throws Error{internal} for an unknown id.
Finding make_finding(std::string_view id, std::string subject, std::vector<Evidence> evidence = {});
// All ids, sorted.
std::vector<std::string> finding_ids();

// The findings of one file of the catalogue, without subject and evidence: an object of
// {severity, title, cause, remedy{text, command, risk}} by id. Throws Error{bad_stack}.
std::vector<Finding> parse_findings(std::string_view json, const std::string& source);
// Parsers for parts of such a record, for other data files that contain findings.
Severity read_severity(const JsonReader& reader);
Risk read_risk(const JsonReader& reader);
Remedy read_remedy(const JsonReader& reader);

}  // namespace topsctl
