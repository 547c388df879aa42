// Findings as text for people, and the fitting of long texts into lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/render.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

enum class Detail {
  brief,
  full,  // archived packages, all subjects, all evidence
};

// Only the findings: those that differ only in subject and evidence are one block.
std::string render_findings(const std::vector<Finding>& findings, Detail detail,
                            const Style& style);

// At most `columns` wide on a terminal, "sdk/very...name.deb"; keeps more of the end.
std::string shortened_in_the_middle(std::string_view text, std::size_t columns);

// Wraps words into lines of at most `columns`, the first line after `first`, the others indented by
// the same width. A longer word stays whole. `hanging`: another indent for the other lines.
std::string wrapped(std::string_view text, const std::string& first, std::size_t columns,
                    std::optional<std::size_t> hanging = {});

// Breaks lines that are too wide for the terminal; commands to copy stay whole.
std::string fitted_lines(std::string_view text, const Style& style);

}  // namespace topsctl
