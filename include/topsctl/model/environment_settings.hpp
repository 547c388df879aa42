// An operator's choices for a stack's environment, and the line of the environment file that keeps
// them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/model/json.hpp"

namespace topsctl {

struct EnvironmentSettings {
  std::string profile;  // empty: none
  std::map<std::string, std::string> set;
  std::set<std::string> unset;  // variables that are omitted
  bool empty() const { return profile.empty() && set.empty() && unset.empty(); }
  bool operator==(const EnvironmentSettings&) const = default;
};

// Whether it is a valid name of a shell variable.
bool is_variable_name(std::string_view name);
// Why this variable must not be set: it is a search path, or the shell's own. Empty: it may be set.
std::string objection_to_setting(std::string_view name);
// The same for adding directories to a search path.
std::string objection_to_search_path(std::string_view name);

// Settings from a command line. Throws Error{usage} for what cannot be set.
struct SettingOptions {
  std::string profile;             // empty: the kept one; "none": no profile
  std::vector<std::string> set;    // NAME=VALUE, split at the first '='
  std::vector<std::string> unset;  // NAME
  bool forget = false;             // start with no settings instead of the kept ones
  std::string library = {};        // directory of a built library, replaces a package
  bool operator==(const SettingOptions&) const = default;
};
inline constexpr std::string_view no_profile = "none";

// The kept settings, changed by the options. Drops a kept profile that is not in `profiles`, with a
// warning; a requested one throws Error{usage} with the nearest name.
EnvironmentSettings changed_settings(const EnvironmentSettings& kept, const SettingOptions& wishes,
                                     const std::vector<std::string>& profiles,
                                     std::vector<std::string>& warnings);

// One comment line, with its line end; empty if there are no settings.
std::string settings_line(const EnvironmentSettings& settings);

struct KeptSettings {
  EnvironmentSettings settings;
  std::string warning;  // why a line with settings was not used; else empty
};
// The settings in the comments at the top of an environment file. Never throws: a line that
// settings_line() could not have written gives a warning and no settings.
KeptSettings environment_settings_in(std::string_view file);

// {profile|null, set{}, unset[]}
Json to_json(const EnvironmentSettings& settings);

}  // namespace topsctl
