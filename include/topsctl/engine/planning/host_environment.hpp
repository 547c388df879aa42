// The environment that a stack needs on a host.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/environment.hpp"
#include "topsctl/model/environment_settings.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

// From the stack's packages that are installed, with the settings of the environment file on the
// host, changed as it is wished. `file`: that file's text. What it does not set is a warning.
Environment environment_of_host(const Host& host, const Stack& stack, const SettingOptions& wishes,
                                const std::optional<std::string>& file,
                                std::vector<std::string>& warnings);
// The same with only those directories of search paths that are there, read from the host's own
// file: what a program of it gets.
Environment environment_for_programs(const Host& host, const Stack& stack,
                                     const SettingOptions& wishes,
                                     std::vector<std::string>& warnings);

}  // namespace topsctl
