// Faults of a wheel's metadata and names that pip rejects, or that no installer can handle.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/archive/zip.hpp"
#include "topsctl/model/package.hpp"

namespace topsctl {

// Each function adds to `faults`, at most 1000 in all. Members without a destination, a file in
// place of a directory, names that are too long, links.
void add_member_faults(const std::vector<ZipEntry>& entries, const std::string& info_folder,
                       std::vector<WheelFault>& faults);
// Wheel-Version as WHEEL has it.
void add_version_faults(std::string_view wheel_version, std::vector<WheelFault>& faults);
// RECORD, which pip reads as CSV once all files are in place.
void add_record_faults(std::string_view record, std::vector<WheelFault>& faults);
// A metadata file that is not UTF-8.
void add_text_faults(std::string_view text, std::string_view file, std::vector<WheelFault>& faults);

}  // namespace topsctl
