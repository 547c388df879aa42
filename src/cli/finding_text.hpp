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

// The findings alone: those that differ in subject and evidence only are one block.
std::string render_findings(const std::vector<Finding>& findings, Detail detail,
                            const Style& style);

// At most `columns` wide on a terminal, "sdk/very...name.deb"; more is kept of the end.
std::string shortened_in_the_middle(std::string_view text, std::size_t columns);

// Words in lines of at most `columns`, the first behind `first`, the others indented likewise. A
// word that is longer stays whole. `hanging`: the indent of the others, if another one is meant.
std::string wrapped(std::string_view text, const std::string& first, std::size_t columns,
                    std::optional<std::size_t> hanging = {});

// The lines with those broken that a terminal is too narrow for; commands to copy stay whole.
std::string fitted_lines(std::string_view text, const Style& style);

}  // namespace topsctl
