// Python interpreters of a machine and what is installed for them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// Asks an interpreter what it is; `wheels` names the distributions to look for. Nothing if it does
// not exist, may not be executed, or does not answer. Throws Error{permission} if topsctl may not
// enter the root directory.
std::optional<PythonFacts> read_python(const Host& host, const std::string& executable,
                                       const std::vector<std::string>& wheels);

// The distributions of these names in the interpreter's site directories, read from their dist-info
// folders.
// Which distributions list these absolute paths in RECORD; those that none lists are left out.
std::map<std::string, std::string> distributions_that_own(const Host& host,
                                                          const PythonFacts& python,
                                                          const std::set<std::string>& paths);

std::vector<InstalledWheel> read_installed_wheels(const Host& host, const PythonFacts& python,
                                                  const std::vector<std::string>& names);

// Those of these names that are there in the form before wheels, as Debian's packages bring them.
std::vector<InstalledWheel> read_installed_eggs(const Host& host, const PythonFacts& python,
                                                const std::vector<std::string>& names);

// Where a path of RECORD lies: relative ones start at the site directory. Normalised, without "..".
std::string recorded_path(const InstalledWheel& wheel, const std::string& path);

}  // namespace topsctl
