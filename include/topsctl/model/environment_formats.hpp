// An environment as text for shells, Docker, systemd, environment modules.
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
// The format of a valid name.
EnvironmentFormat environment_format(std::string_view name);

// Whether the text checks at use which directories exist; other formats include all given ones.
bool looks_at_use(EnvironmentFormat format);
// Removes the directories that are used only if present and that are missing now; includes the
// others always.
Environment as_found(Environment environment,
                     const std::function<bool(const std::string&)>& is_folder);

// The text. Throws Error{usage} with variable, format and suitable formats for a value that the
// format cannot express.
std::string environment_text(const Environment& environment, EnvironmentFormat format);

// `variables`, overridden by the environment's, with its directories after the present ones of each
// search path, once each. A search path that is missing or empty begins with a plain login's value
// (PATH), or empty.
std::map<std::string, std::string> joined_environment(std::map<std::string, std::string> variables,
                                                      const Environment& environment);

}  // namespace topsctl
