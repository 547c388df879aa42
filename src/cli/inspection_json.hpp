// The JSON document of `topsctl inspect`, written piece by piece: a package may have a list of many
// thousand files.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "topsctl/engine/planning/bundle_verdict.hpp"
#include "topsctl/model/finding.hpp"
#include "topsctl/model/inspection.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct InspectionDocument {
  Inspection inspection;
  std::vector<Finding> findings;
  std::vector<StackMatch> stacks;
  BundleVerdict verdict;
  Json against;  // null: not requested
  Json diff;     // null: not requested
  Json lock;     // null: not requested
};

// The members of the object, without its braces.
void write_members(std::ostream& out, const InspectionDocument& document);

}  // namespace topsctl
