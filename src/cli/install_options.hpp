// The options of an install, local or remote.
#pragma once

#include <string>
#include <vector>

#include "topsctl/host/system/confined_call.hpp"
#include "topsctl/model/environment_settings.hpp"

namespace topsctl {

struct OptionTable;

struct InstallOptions {
  std::string python;
  std::vector<std::string> accepted;
  bool allow_system_python = false;
  bool allow_downgrade = false;
  bool allow_older_lock = false;
  std::string wheel_backend;  // refused
  std::string write_set = "auto";
  SettingOptions settings;
  int lock_timeout_s = 120;
  int deadline_s = 7200;
  bool no_sandbox = false;
};

// For commands that use a library that was built and not installed.
void add_library_option(OptionTable& table, SettingOptions& settings);
// --profile, --set, --unset and --forget-settings.
void add_setting_options(OptionTable& table, SettingOptions& settings);
void add_install_options(OptionTable& table, InstallOptions& options);
// --no-sandbox.
void add_sandbox_option(OptionTable& table, bool& is_off);
Sandboxing sandboxing_of(bool is_off);
// The given options as words of a command line.
std::vector<std::string> words_of(const InstallOptions& options);
// The options that differ from the defaults.
std::vector<std::string> nondefault_arguments(const InstallOptions& options);

}  // namespace topsctl
