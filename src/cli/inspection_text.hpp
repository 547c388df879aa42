// What `topsctl inspect` prints for people.
#pragma once

#include <string>
#include <vector>

#include "cli/finding_text.hpp"
#include "cli/render.hpp"
#include "topsctl/engine/inspection/stack_match.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

// A table with a title, made elsewhere; the first row is the heading.
struct TextSection {
  std::string title;
  std::vector<std::vector<std::string>> rows;
};

struct InspectionFrame {
  std::vector<StackMatch> stacks;
  std::vector<TextSection> sections;  // printed after the findings
  std::string bundle;                 // as it was given, for the command to be run next
  Detail detail = Detail::brief;
};

// Packages, containers, findings worst first, stacks, sections, and what to do next as the last
// line. Paths are shortened in the middle to fit, names and versions never.
std::string render_inspection(const Inspection& inspection, const std::vector<Finding>& findings,
                              const InspectionFrame& frame, const Style& style);

}  // namespace topsctl
