// Reads wheels that are to be installed.
#pragma once

#include <filesystem>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// The metadata of a wheel that is to be installed, without record and files. Throws
// Error{bad_package}, also if the metadata and the file name disagree.
void read_wheel_metadata(const std::filesystem::path& file, Package& package);

// Reads every member, compares it with RECORD, and fills `record` and `files` with paths relative
// to the site directory. Reasons against the install are in the result and in package.wheel, for
// package_findings() (engine/inspection). Throws Error{bad_package} if pip could not read the
// wheel.
Contents read_wheel_payload(const std::filesystem::path& file, Package& package);

}  // namespace topsctl
