// What of a host stands against an install, whatever is accepted: for install, which refuses it,
// and for inspect, which tells it beforehand; pure.
#pragma once

#include <string>
#include <vector>

#include "topsctl/engine/planning/planner.hpp"
#include "topsctl/model/finding.hpp"

namespace topsctl {

struct Objection {
  std::string id;       // of the finding
  std::string subject;  // of the finding
  std::string what;
  std::string hint;
  bool operator==(const Objection&) const = default;
};

// Another architecture, half-installed packages, an interpreter that cannot install wheels, holds a
// package in a form that cannot be kept, or is the system's; the first to be told first.
std::vector<Objection> host_objections(const Selection& selection, const HostFacts& facts,
                                       const PlanOptions& options);

Finding finding_of(const Objection& objection);

// Throws the first of them as Error{host_unfit}, with its id.
void require_plannable(const Selection& selection, const HostFacts& facts,
                       const PlanOptions& options);

}  // namespace topsctl
