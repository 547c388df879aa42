// The catalogue for node-problem-detector of Kubernetes.
#pragma once

#include "topsctl/model/catalogue/diagnosis.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// A configuration of its system log monitor, plugin "filelog": a rule for each pattern of one line.
// Those of whole tracebacks are left out, as it looks at lines. Its syntax of patterns is RE2's.
Json npd_configuration(const DiagnosisCatalogue& catalogue);

}  // namespace topsctl
