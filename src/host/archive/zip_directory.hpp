// The central directory of a zip archive.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/archive/source.hpp"
#include "topsctl/host/archive/zip.hpp"

namespace topsctl {

// Implements the checks and exceptions of ZipReader's constructor.
std::vector<ZipEntry> read_zip_directory(const FileRange& range, const std::string& subject);

}  // namespace topsctl
