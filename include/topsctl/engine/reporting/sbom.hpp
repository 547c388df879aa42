// Bills of materials of a bundle in the form of CycloneDX 1.5.
#pragma once

#include <string>

#include "topsctl/model/inspection.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct SbomFrame {
  std::string name;        // of the bundle
  std::string created_at;  // RFC 3339, UTC
};

// Every package, archived and damaged ones too, within the archive that holds it; dependencies
// inside the bundle only, as declared. The same bundle has the same serial number. A license is
// stated only where the package does.
Json cyclonedx_document(const Inspection& inspection, const SbomFrame& frame);

}  // namespace topsctl
