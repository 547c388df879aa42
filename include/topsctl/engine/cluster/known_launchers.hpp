// All launchers that are known here: those built in, and the operator's own.
#pragma once

#include <filesystem>
#include <vector>

#include "topsctl/engine/cluster/job_template.hpp"

namespace topsctl {

inline constexpr const char* launchers_folder = "/etc/topsctl/launchers.d";

// The operator's come from the folder's *.json in the order of their names; one with the name of
// another takes its place. Throws Error{bad_input} for a file that is malformed.
std::vector<JobTemplate> known_launchers(const std::filesystem::path& folder = launchers_folder);
// Throws Error{usage} if none of them has this name.
JobTemplate launcher_named(const std::vector<JobTemplate>& launchers, const std::string& name);

}  // namespace topsctl
