// Python interpreters of a host and their installed distributions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// Runs an interpreter to read its facts; `wheels` names the distributions to look for. Nothing if
// it does not exist, may not be executed, or does not answer. Throws Error{permission} if topsctl
// may not enter the root directory.
std::optional<PythonFacts> read_python(const Host& host, const std::string& executable,
                                       const std::vector<std::string>& wheels);

// The distributions that list these absolute paths in RECORD; omits paths that none lists.
std::map<std::string, std::string> distributions_that_own(const Host& host,
                                                          const PythonFacts& python,
                                                          const std::set<std::string>& paths);

// The distributions of these names in the interpreter's site directories, from their dist-info
// directories.
std::vector<InstalledWheel> read_installed_wheels(const Host& host, const PythonFacts& python,
                                                  const std::vector<std::string>& names);

// Those of these names that are installed as eggs, the format before wheels, as Debian's packages
// install them.
std::vector<InstalledWheel> read_installed_eggs(const Host& host, const PythonFacts& python,
                                                const std::vector<std::string>& names);

// Resolves a path of RECORD: relative ones start at the site directory. Normalized, without "..".
std::string recorded_path(const InstalledWheel& wheel, const std::string& path);

}  // namespace topsctl
