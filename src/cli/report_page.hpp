// The report of a transaction as a page: text and HTML show the same value.
#pragma once

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
  };
  std::string title;
  bool failed = false;
  std::vector<std::pair<std::string, std::string>> facts;  // label and value
  std::vector<Section> sections;                           // those that have rows
};

// The page of a document of install, rollback or recover; what it lacks is left out.
ReportPage report_page(const Json& document);

std::string report_text(const ReportPage& page, const Style& style);

}  // namespace topsctl
