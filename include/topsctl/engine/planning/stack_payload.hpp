// What the environment of a stack is derived from: its files on a host, and the settings that are
// kept there.
#pragma once

#include <string>
#include <vector>

#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack.hpp"

namespace topsctl {

// What the environment file on the machine keeps of the operator's choices.
KeptSettings kept_settings(const Stack& stack, const HostFacts& facts);

// Absolute paths of the files that the stack's debs have, chosen ones and those already installed.
std::vector<std::string> stack_payload(const std::vector<Package>& chosen, const HostFacts& facts);

}  // namespace topsctl
