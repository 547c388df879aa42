// The findings of a comparison, with a readable amount of evidence.
#pragma once

#include <cstddef>
#include <vector>

#include "topsctl/model/finding.hpp"

namespace topsctl {

using Findings = std::vector<Finding>;

// The first pieces of a long list of evidence, and the number of others.
constexpr std::size_t most_evidence = 10;

std::vector<Evidence> shortened(std::vector<Evidence> evidence);

}  // namespace topsctl
