// All known launchers: built-in ones and the operator's.
#pragma once

#include <filesystem>
#include <vector>

#include "topsctl/engine/cluster/job_template.hpp"

namespace topsctl {

inline constexpr const char* launchers_folder = "/etc/topsctl/launchers.d";

// The operator's come from *.json of the directory, in the order of their names; a launcher
// replaces an earlier one of the same name. Throws Error{bad_input} for a malformed file.
std::vector<JobTemplate> known_launchers(const std::filesystem::path& folder = launchers_folder);
// Throws Error{usage} if no launcher has this name.
JobTemplate launcher_named(const std::vector<JobTemplate>& launchers, const std::string& name);

}  // namespace topsctl
