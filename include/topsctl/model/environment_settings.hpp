// What an operator has chosen of a stack's environment, and the line of the environment file that
// keeps it.
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
  std::set<std::string> unset;  // variables that are left out
  bool empty() const { return profile.empty() && set.empty() && unset.empty(); }
  bool operator==(const EnvironmentSettings&) const = default;
};

// Whether a shell takes it as the name of a variable.
bool is_variable_name(std::string_view name);
// Why no setting may give this variable a value: it is a search path, or the shell's own. Empty: it
// may.
std::string objection_to_setting(std::string_view name);
// The same for a search path that directories are added to.
std::string objection_to_search_path(std::string_view name);

// What is asked for on a command line. Throws Error{usage} for what cannot be set.
struct SettingOptions {
  std::string profile;             // empty: as it is kept; "none": no profile
  std::vector<std::string> set;    // NAME=VALUE, cut at the first '='
  std::vector<std::string> unset;  // NAME
  bool forget = false;             // begin with nothing, not with what is kept
  std::string library = {};        // directory of a built library, in the place of a package
  bool operator==(const SettingOptions&) const = default;
};
inline constexpr std::string_view no_profile = "none";

// What is kept, changed as it is wished. A kept profile that is none of `profiles` is left out,
// with a warning; one that is wished for is Error{usage} with the nearest name.
EnvironmentSettings changed_settings(const EnvironmentSettings& kept, const SettingOptions& wishes,
                                     const std::vector<std::string>& profiles,
                                     std::vector<std::string>& warnings);

// One comment line, with its line end; nothing if there is nothing to keep.
std::string settings_line(const EnvironmentSettings& settings);

struct KeptSettings {
  EnvironmentSettings settings;
  std::string warning;  // why there are none although the file has such a line; else empty
};
// The settings that an environment file keeps in the comments at its top. Never throws: a line that
// is not exactly what settings_line() writes gives a warning and no settings.
KeptSettings environment_settings_in(std::string_view file);

// {profile|null, set{}, unset[]}
Json to_json(const EnvironmentSettings& settings);

}  // namespace topsctl
