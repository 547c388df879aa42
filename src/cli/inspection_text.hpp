// The text of `topsctl inspect`.
#pragma once

#include <string>
#include <vector>

#include "cli/finding_text.hpp"
#include "cli/render.hpp"
#include "topsctl/engine/planning/bundle_verdict.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

// A table with a title from another file; the first row is the heading.
struct TextSection {
  std::string title;
  std::vector<std::vector<std::string>> rows;
};

struct InspectionFrame {
  BundleVerdict verdict;
  std::vector<TextSection> sections;  // printed after the findings
  std::string bundle;                 // as given, for the next command
  std::string options;                // the same, plus those that an install needs: " --stack S"
  Detail detail = Detail::brief;
};

// The verdict, the packages that an install selects (all of them with full detail, or if none is
// selected), containers, findings worst first, sections, and the next command as the last line.
// Digests and notes only with full detail. Shortens paths in the middle to fit.
std::string render_inspection(const Inspection& inspection, const std::vector<Finding>& findings,
                              const InspectionFrame& frame, const Style& style);

}  // namespace topsctl
