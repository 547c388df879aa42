// The environment variables that a stack needs on a host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/environment.hpp"
#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// Names each setting of its guide that this profile omits, and why; empty: no such profile.
std::vector<std::string> profile_warnings(const Stack& stack, const std::string& name);
// From the stack's installed packages, with the settings of the host's environment file, changed by
// the options. `file`: the text of that file. Settings that it lacks are a warning, and those that
// the profile omits.
Environment environment_of_host(const Host& host, const Stack& stack, const SettingOptions& wishes,
                                const std::optional<std::string>& file,
                                std::vector<std::string>& warnings);
// The same with only existing directories in search paths, read from the host's own file: the
// environment for a program of that stack.
Environment environment_for_programs(const Host& host, const Stack& stack,
                                     const SettingOptions& wishes,
                                     std::vector<std::string>& warnings);

}  // namespace topsctl
