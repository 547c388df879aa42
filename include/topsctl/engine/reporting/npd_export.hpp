// Exports the catalogue for node-problem-detector of Kubernetes.
#pragma once

#include "topsctl/model/catalogue/diagnosis.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// A configuration of its system log monitor, plugin "filelog": one rule per single-line pattern.
// Patterns of whole tracebacks are omitted, because the monitor matches line by line. Its pattern
// syntax is RE2's.
Json npd_configuration(const DiagnosisCatalogue& catalogue);

}  // namespace topsctl
