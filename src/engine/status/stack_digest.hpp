// One digest of the installed packages of a stack.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// The SHA-256 of names, versions and recorded contents: equal on two hosts if the same packages are
// installed, by any installer and for any interpreter. Pure.
std::string stack_digest(const std::map<std::string, InstalledDeb>& debs,
                         const std::vector<InstalledWheel>& wheels);

}  // namespace topsctl
