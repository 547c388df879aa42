// What the environment of a stack is derived from: its files on a host, and the settings that are
// kept there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// What the environment file on the machine keeps of the operator's choices.
KeptSettings kept_settings(const Stack& stack, const HostFacts& facts);

// Absolute paths of the files that the stack's debs have: the chosen ones, and of these others the
// installed ones that stay beside them.
std::vector<std::string> stack_payload(const std::vector<Package>& chosen,
                                       const std::map<std::string, InstalledDeb>& debs);

}  // namespace topsctl
