// Checks, changes, writes and reads the settings of an environment.
#include "topsctl/model/environment_settings.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::string_view line_begins = "# topsctl settings: ";
constexpr std::size_t longest_line = std::size_t{64} << 10U;
constexpr std::size_t most_settings = 1000;

// Settings replace a value; these variables are extended, and everything on the host uses them.
constexpr std::array<std::string_view, 8> search_paths = {
    "PATH",       "LD_LIBRARY_PATH", "LD_PRELOAD",   "LD_AUDIT",
    "PYTHONPATH", "MANPATH",         "LIBRARY_PATH", "CPATH"};
// Libraries that the loader adds to every program.
constexpr std::array<std::string_view, 2> loaded_everywhere = {"LD_PRELOAD", "LD_AUDIT"};
// Variables that the shell itself uses or protects.
constexpr std::array<std::string_view, 16> of_shells = {
    "IFS",  "ENV",  "BASH_ENV", "BASHOPTS", "SHELLOPTS", "UID",    "EUID",  "PPID",
    "HOME", "USER", "LOGNAME",  "SHELL",    "PWD",       "OLDPWD", "SHLVL", "PS4"};

template <std::size_t Size>
bool holds(const std::array<std::string_view, Size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw Error(ErrorCode::usage, message, hint);
}

void require_settable(std::string_view name, std::string_view option) {
  if (!is_variable_name(name)) {
    refuse(format("{}: expected a variable name, got {}", option, in_quotes(name)),
           "use letters, digits and '_' in a name, and no digit at its start");
  }
  const std::string objection = objection_to_setting(name);
  if (!objection.empty()) {
    refuse(concat(option, ": ", in_quotes(name), " ", objection),
           format("set {} where you start the job", name));
  }
}

void require_value(std::string_view name, std::string_view value) {
  if (value.find('\0') != std::string_view::npos || !is_utf8(value)) {
    refuse(format("--set: the value of {} must be UTF-8 text without NUL", in_quotes(name)),
           "give UTF-8 text");
  }
}

std::string text_in(const Json& value) {
  if (!value.is_string()) throw Error(ErrorCode::bad_stack, "not a string");
  return value.get<std::string>();
}

std::string name_in(const Json& value) {
  std::string name = text_in(value);
  require_settable(name, "settings");
  return name;
}

// Throws Error for all that settings_line() does not write.
EnvironmentSettings parsed(std::string_view text) {
  if (text.size() > longest_line) throw Error(ErrorCode::bad_stack, "the line is too long");
  const Json document = parse_json(text, "the settings");
  if (!document.is_object()) throw Error(ErrorCode::bad_stack, "not an object");
  EnvironmentSettings settings;
  for (const auto& [key, value] : document.items()) {
    if (key == "profile") {
      settings.profile = text_in(value);
      if (printable(settings.profile) != settings.profile || settings.profile == no_profile)
        throw Error(ErrorCode::bad_stack, "invalid profile name");
    } else if (key == "set" && value.is_object()) {
      for (const auto& [name, setting] : value.items()) {
        const std::string wanted = text_in(setting);
        require_settable(name, "settings");
        require_value(name, wanted);
        settings.set.emplace(name, wanted);
      }
    } else if (key == "unset" && value.is_array()) {
      for (const Json& name : value) settings.unset.insert(name_in(name));
    } else {
      throw Error(ErrorCode::bad_stack, format("unknown key {}", in_quotes(key)));
    }
  }
  // Every text has exactly one form, so that the parsed settings are the written ones.
  if (concat(line_begins, text, "\n") != settings_line(settings))
    throw Error(ErrorCode::bad_stack, "not in the form written by topsctl");
  return settings;
}

}  // namespace

bool is_variable_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string objection_to_setting(std::string_view name) {
  if (holds(search_paths, name)) return "is a search path, which settings cannot replace";
  if (holds(of_shells, name)) return "is reserved for the shell";
  return {};
}

std::string objection_to_search_path(std::string_view name) {
  if (holds(loaded_everywhere, name)) return "makes every program load code";
  if (holds(of_shells, name)) return "is reserved for the shell";
  return {};
}

EnvironmentSettings changed_settings(const EnvironmentSettings& kept, const SettingOptions& wishes,
                                     const std::vector<std::string>& profiles,
                                     std::vector<std::string>& warnings) {
  EnvironmentSettings settings = wishes.forget ? EnvironmentSettings() : kept;
  const auto is_known = [&](const std::string& profile) {
    return std::find(profiles.begin(), profiles.end(), profile) != profiles.end();
  };
  if (wishes.profile == no_profile) {
    settings.profile.clear();
  } else if (!wishes.profile.empty()) {
    if (!is_known(wishes.profile)) {
      refuse(format("--profile: the stack has no profile {}{}", in_quotes(wishes.profile),
                    did_you_mean(wishes.profile, profiles)),
             profiles.empty() ? "this stack has no profiles; use --set NAME=VALUE"
                              : format("profiles: {}; or none", joined(profiles, ", ")));
    }
    settings.profile = wishes.profile;
  } else if (!settings.profile.empty() && !is_known(settings.profile)) {
    warnings.push_back(
        format("the stack has no profile {}, which the environment file names: it is ignored",
               in_quotes(settings.profile)));
    settings.profile.clear();
  }
  for (const std::string& wish : wishes.set) {
    const auto equals = wish.find('=');
    if (equals == std::string::npos) {
      refuse(format("--set: expected NAME=VALUE, got {}", in_quotes(wish)),
             "use --unset NAME to leave out a variable");
    }
    const std::string name = wish.substr(0, equals);
    require_settable(name, "--set");
    require_value(name, std::string_view(wish).substr(equals + 1));
    settings.set[name] = wish.substr(equals + 1);
    settings.unset.erase(name);
  }
  for (const std::string& name : wishes.unset) {
    require_settable(name, "--unset");
    const bool is_set_too =
        std::any_of(wishes.set.begin(), wishes.set.end(),
                    [&](const auto& wish) { return wish.starts_with(concat(name, "=")); });
    if (is_set_too)
      refuse(format("{} is given to both --set and --unset", in_quotes(name)),
             "use only one of them");
    settings.set.erase(name);
    settings.unset.insert(name);
  }
  const bool fits = settings.set.size() + settings.unset.size() <= most_settings &&
                    settings_line(settings).size() <= longest_line;
  if (!fits) refuse("the settings are too long to save", "put them into your own stack file");
  return settings;
}

std::string settings_line(const EnvironmentSettings& settings) {
  if (settings.empty()) return {};
  Json kept = Json::object();
  if (!settings.profile.empty()) kept["profile"] = settings.profile;
  if (!settings.set.empty()) kept["set"] = settings.set;
  if (!settings.unset.empty()) kept["unset"] = settings.unset;
  return concat(line_begins, to_line(kept), "\n");
}

KeptSettings environment_settings_in(std::string_view file) {
  KeptSettings kept;
  std::string_view found;
  // Only the comments at the top: further down a line may be part of a value.
  while (file.starts_with('#')) {
    const std::string_view line = file.substr(0, file.find('\n'));
    file.remove_prefix(std::min(line.size() + 1, file.size()));
    if (!line.starts_with(trimmed(line_begins))) continue;
    if (!found.empty()) {
      kept.warning = "the environment file has settings twice: both are ignored";
      return kept;
    }
    found = line;
  }
  if (found.empty()) return kept;
  try {
    if (!found.starts_with(line_begins))
      throw Error(ErrorCode::bad_stack, "no settings in the line");
    kept.settings = parsed(found.substr(line_begins.size()));
  } catch (const Error& error) {
    kept.warning = format("the settings in the environment file are damaged and ignored: {}",
                          printable(error.message()));
  }
  return kept;
}

Json to_json(const EnvironmentSettings& settings) {
  return {{"profile", text_or_null(settings.profile)},
          {"set", settings.set.empty() ? Json::object() : Json(settings.set)},
          {"unset", settings.unset.empty() ? Json::array() : Json(settings.unset)}};
}

}  // namespace topsctl
