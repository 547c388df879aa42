// An environment as text for whoever starts programs: shells, Docker, systemd, environment modules.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/environment.hpp"

namespace topsctl {

enum class EnvironmentFormat { sh, fish, docker_env_file, dockerfile, systemd, json, modulefile };
std::string_view name(EnvironmentFormat format);
std::vector<std::string> environment_format_names();
// Of a name that is one of them.
EnvironmentFormat environment_format(std::string_view name);

// Whether the text decides at use which folders are there; the others take all that they are given.
bool looks_at_use(EnvironmentFormat format);
// Without the folders that are taken only if present and are not there now; the rest is taken
// always.
Environment as_found(Environment environment,
                     const std::function<bool(const std::string&)>& is_folder);

// The text. Throws Error{usage}, naming variable, format and formats that can, for a value that the
// format cannot carry.
std::string environment_text(const Environment& environment, EnvironmentFormat format);

// `variables` with the environment's over them, and its folders behind what each search path has,
// once. A search path that is not there or empty begins with what a plain login has (PATH), or with
// nothing.
std::map<std::string, std::string> joined_environment(std::map<std::string, std::string> variables,
                                                      const Environment& environment);

}  // namespace topsctl
