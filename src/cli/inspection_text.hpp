// What `topsctl inspect` prints for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/render.hpp"
#include "topsctl/engine/inspection/stack_match.hpp"
#include "topsctl/model/inspection.hpp"

namespace topsctl {

inline constexpr std::size_t text_columns = 100;  // that lines are fitted into where possible

enum class Detail {
  brief,
  full,  // archived packages, all subjects, all evidence
};

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

// The findings alone: those that differ in subject and evidence only are one block.
std::string render_findings(const std::vector<Finding>& findings, Detail detail,
                            const Style& style);

// At most `columns` wide on a terminal, "sdk/very...name.deb"; more is kept of the end.
std::string shortened_in_the_middle(std::string_view text, std::size_t columns);
// Words in lines of at most `columns`, the first behind `first`, the others indented likewise. A
// word that is longer stays whole.
std::string wrapped(std::string_view text, const std::string& first, std::size_t columns);

}  // namespace topsctl
