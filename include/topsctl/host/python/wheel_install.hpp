// Reading of wheels that are to be installed.
#pragma once

#include <filesystem>

#include "topsctl/model/contents.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// The metadata of a wheel that is to be installed: without record and files. Throws
// Error{bad_package}, too where the metadata is not that of the file's name.
void read_wheel_metadata(const std::filesystem::path& file, Package& package);

// Reads every member, checks it against RECORD, and fills `record` and `files` with paths relative
// to the site directory. Throws Error{bad_package} for any member that is missing, not recorded or
// not what RECORD says, for what would be installed elsewhere, and where pip would not decompress
// it.
Contents read_wheel_payload(const std::filesystem::path& file, Package& package);

}  // namespace topsctl
