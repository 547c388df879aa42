// Reasons why a host refuses an install; no --accept overrides them. For install, and for inspect,
// which reports them in advance; pure.
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

// Reasons: another architecture, half-installed packages, an interpreter that cannot install
// wheels, that has a package in a form that cannot be backed up, or that the system manages. The
// most important first.
std::vector<Objection> host_objections(const Selection& selection, const HostFacts& facts,
                                       const PlanOptions& options);

Finding finding_of(const Objection& objection);

// Throws the first of them as Error{host_unfit}, with its id.
void require_plannable(const Selection& selection, const HostFacts& facts,
                       const PlanOptions& options);

}  // namespace topsctl
