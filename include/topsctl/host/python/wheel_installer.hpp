// Installs a wheel without pip, so that pip takes it for its own work (binary distribution format,
// PEP 376, PEP 610, PEP 627).
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
  std::filesystem::path wheel;  // the file, as this machine has it, under its own name
  InstallScheme scheme;
  std::string cache_tag;
  std::filesystem::path origin;  // where the file came from, for direct_url.json
  std::string sha256;            // of the file
};

struct InstalledFiles {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::size_t removed = 0;        // files of the version that was there
  std::vector<std::string> left;  // files that its RECORD lists and that were left alone
};

// In the library folder while a wheel is unpacked; pip passes over names that begin so.
inline constexpr const char* wheel_staging_folder = "~topsctl-wheel";

// Refuses, and changes nothing: an unknown scheme, a folder of a destination that is a link, a
// version without RECORD. Throws Error{host_unfit}; Error{bad_package} for a wheel with faults, and
// for one that would have two files for one place under this scheme.
void require_installable(const Host& host, const WheelInstallation& installation);

// Unpacks beside the library folder's packages, each member compared with RECORD; takes the version
// away that is there, except what the new one replaces; renames all into place, the dist-info
// folder last. Refuses as require_installable() does. What is done when it throws only a restore
// undoes.
InstalledFiles install_wheel(const Host& host, const WheelInstallation& installation);

}  // namespace topsctl
