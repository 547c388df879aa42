// Bills of materials of a bundle in the form of SPDX 2.3.
#pragma once

#include "topsctl/engine/reporting/sbom.hpp"

namespace topsctl {

// The same as SPDX 2.3: archives CONTAIN packages.
Json spdx_document(const Inspection& inspection, const SbomFrame& frame);

}  // namespace topsctl
