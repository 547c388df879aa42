// Input of a stack's environment: its files on a host, and the settings that are kept there.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/host_facts.hpp"
#include "topsctl/model/package.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// The operator's settings in the host's environment file.
KeptSettings kept_settings(const Stack& stack, const HostFacts& facts);

// Absolute paths of the files of the stack's debs: of the chosen ones, and of other installed ones
// that stay.
std::vector<std::string> stack_payload(const std::vector<Package>& chosen,
                                       const std::map<std::string, InstalledDeb>& debs);

}  // namespace topsctl
