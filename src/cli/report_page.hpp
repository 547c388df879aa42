// The report of a transaction, or of a deployment, as a page that both text and HTML show.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/render.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct ReportPage {
  struct Section {
    std::string title;
    std::vector<std::vector<std::string>> rows;  // the first is the heading
    std::optional<std::size_t> result = {};      // the column with the result
    bool leads_to_parts = false;                 // the first column names the parts of the page
  };
  std::string title;
  bool failed = false;
  std::vector<std::pair<std::string, std::string>> facts;  // label and value
  std::vector<Section> sections;                           // only those with rows
  std::vector<ReportPage> parts;                           // one for each target
  std::string facts_title = {};                            // of the facts of a page with parts
  std::string picture = {};                                // SVG, made by topsctl; only in HTML
};

// The page of a document of install, rollback or recover; omits missing parts.
ReportPage report_page(const Json& document);
// The page of a document of deploy: one row per target, and the page of each target's report as a
// part.
ReportPage deployment_page(const Json& document);

// The meaning of a result, for all its names.
enum class Mark { none, good, bad, attention, open };
Mark mark_of_result(const std::string& result);

std::string report_text(const ReportPage& page, const Style& style);

}  // namespace topsctl
