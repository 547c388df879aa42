// Reads the control archive of a .deb.
#pragma once

#include <string>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Fills name, version, architecture, depends, installed_size, md5sums, package.deb and, from
// md5sums, `files`. Throws Error{bad_package}.
void read_control_archive(Source& tar, const std::string& file_name, Package& package);

}  // namespace topsctl
