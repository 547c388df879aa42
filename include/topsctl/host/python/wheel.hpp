// Reads the metadata of wheels (PEP 427).
#pragma once

#include <string>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Fills name, version, architecture, python, scripts, depends, wheel and record from the metadata,
// and `files` from the central directory. `file_name` is the wheel's, as pip sees it. A name or
// version that differs from the file name (package.wheel has both) is not an error here. Throws
// Error{bad_package} if it is not a wheel, or has an unknown major version.
void read_wheel_metadata(const ZipReader& zip, const std::string& file_name, Package& package);

}  // namespace topsctl
