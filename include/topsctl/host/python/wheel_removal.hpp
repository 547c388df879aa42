// Takes an installed wheel away, as its RECORD lists it.
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
  std::vector<std::string> left;  // paths of RECORD that lie outside of the scheme's folders
};

// Removes the files that RECORD lists, the byte code that this interpreter made of them, the
// folders that are empty then, and the dist-info folder as a whole. A path that does not lie below
// the scheme's folders, links followed, is left alone. So is one of `kept` (canonical paths): the
// next version replaces it.
WheelRemoval remove_installed_wheel(const Host& host, const InstalledWheel& wheel,
                                    const InstallScheme& scheme, const std::string& cache_tag,
                                    const std::set<std::string>& kept);

// The byte code files that imports of a Python file make, or none if it is no Python file (PEP
// 3147, PEP 488).
std::vector<std::string> byte_code_of(const std::string& path, const std::string& cache_tag);

}  // namespace topsctl
