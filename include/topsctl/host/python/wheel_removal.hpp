// Removes an installed wheel by its RECORD.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

struct WheelRemoval {
  std::size_t files = 0;
  std::vector<std::string> left;  // paths of RECORD outside the scheme's directories
};

// Removes the files in RECORD, the byte code that this interpreter compiled from them, directories
// that become empty, and the dist-info directory as a whole. Keeps paths that are not below the
// scheme's directories after following links, and those in `kept` (canonical paths), which the next
// version replaces.
WheelRemoval remove_installed_wheel(const Host& host, const InstalledWheel& wheel,
                                    const InstallScheme& scheme, const std::string& cache_tag,
                                    const std::set<std::string>& kept);

// The byte code files that importing a Python file creates; empty for any other file (PEP 3147, PEP
// 488).
std::vector<std::string> byte_code_of(const std::string& path, const std::string& cache_tag);

}  // namespace topsctl
