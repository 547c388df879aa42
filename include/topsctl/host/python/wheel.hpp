// Reading of the metadata of wheels (PEP 427).
#pragma once

#include <string>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Fills name, version, architecture, python, scripts, depends, wheel and record from the metadata,
// and `files` with what the central directory claims. `file_name` is the wheel's, as pip would see
// it. A name or version that differs from that of the file (package.wheel has both) is no error
// here. Throws Error{bad_package} if it is no wheel, or one of a major version that is not known.
void read_wheel_metadata(const ZipReader& zip, const std::string& file_name, Package& package);

}  // namespace topsctl
