// Installs a wheel without pip; the result is as if pip had installed it (binary distribution
// format, PEP 376, PEP 610, PEP 627).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

struct WheelInstallation {
  std::filesystem::path wheel;  // the file on this host, under its own name
  InstallScheme scheme;
  std::string cache_tag;
  std::filesystem::path origin;  // original path of the file, for direct_url.json
  std::string sha256;            // of the file
};

struct InstalledFiles {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::size_t removed = 0;        // files of the previous version
  std::vector<std::string> left;  // files in its RECORD that were not removed
};

// In the library directory while a wheel is unpacked; pip ignores names with this prefix.
inline constexpr const char* wheel_staging_folder = "~topsctl-wheel";

// Checks without changing anything: throws Error{host_unfit} for an unknown scheme, a destination
// directory that is a link, and an installed version without RECORD; Error{bad_package} for a wheel
// with faults, or with two files for the same destination.
void require_installable(const Host& host, const WheelInstallation& installation);

// Unpacks next to the packages in the library directory and compares each member with RECORD;
// removes the installed version, except files that the new one replaces; renames all files into
// place, the dist-info directory last. Throws the errors of require_installable(). After an
// exception, only a restore undoes the changes made so far.
InstalledFiles install_wheel(const Host& host, const WheelInstallation& installation);

}  // namespace topsctl
