// Bills of materials of a bundle as CycloneDX 1.5.
#pragma once

#include <string>

#include "topsctl/model/inspection.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct SbomFrame {
  std::string name;        // of the bundle
  std::string created_at;  // RFC 3339, UTC
};

// Lists every package, also archived and damaged ones, inside its archive; dependencies only within
// the bundle, as declared. The same bundle has the same serial number. States a license only if the
// package does.
Json cyclonedx_document(const Inspection& inspection, const SbomFrame& frame);

}  // namespace topsctl
