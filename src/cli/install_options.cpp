// Options of installs, and the words that pass them to another topsctl.
#include "cli/install_options.hpp"

#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/preflight.hpp"

namespace topsctl {

namespace {

std::string no_trial_runs() {
  return format(
      "there are no trial runs any more; every program is observed while it runs, and what it "
      "changes can be rolled back");
}

}  // namespace

void add_setting_options(OptionTable& table, SettingOptions& settings) {
  table.value("--profile", settings.profile, "Variables of this profile; none: no profile", "NAME")
      .lists("profiles");
  table.value("--set", settings.set, "Set a variable of your own; may be repeated", "NAME=VALUE");
  table.value("--unset", settings.unset, "Omit a variable; may be repeated", "NAME");
  table.flag("--forget-settings", settings.forget, "Start without the saved profile and variables");
}

void add_library_option(OptionTable& table, SettingOptions& settings) {
  table
      .value("--library", settings.library,
             "Use the stack's library as it was built in this directory, such as build/lib", "DIR")
      .hidden();
}

void add_sandbox_option(OptionTable& table, bool& is_off) {
  // Rarely needed: only in the full help page.
  table
      .flag("--no-sandbox", is_off,
            "Read packages with full privileges where no sandbox is available")
      .hidden();
}

Sandboxing sandboxing_of(bool is_off) {
  return is_off ? Sandboxing::off : Sandboxing::on;
}

void add_install_options(OptionTable& table, InstallOptions& options) {
  table.value("--python", options.python, "Interpreter to install for", "EXE");
  table.value("--accept", options.accepted, "Proceed despite this finding", "ID")
      .lists("findings")
      .check(known_finding())
      .check(not_accepted_so(downgrade_finding, "--allow-downgrade"));
  table
      .value("--write-set", options.write_set,
             "How to know which files change: auto, observed or predicted; default: auto", "WAY")
      .check([](const std::string& value) {
        return value == "rehearsed" ? no_trial_runs() : std::string();
      })
      .choices({"auto", "observed", "predicted"});
  table
      .immediate(
          "--rehearse",
          [] {
            throw Error(ErrorCode::usage, format("--rehearse: {}", no_trial_runs()),
                        "omit --rehearse");
          },
          "Refused: there are no trial runs")
      .hidden();
  table.flag("--allow-downgrade", options.allow_downgrade, "Allow packages to be downgraded");
  table.flag("--allow-older-lock", options.allow_older_lock,
             "Accept a signed lock that is older than the last installed one");
  table.flag("--allow-system-python", options.allow_system_python,
             "Allow an interpreter that the system manages (PEP 668)");
  table
      .value("--wheel-backend", options.wheel_backend, "Refused: topsctl installs wheels itself",
             "NAME")
      .check([](const std::string&) {
        return format("topsctl installs wheels itself, without pip: omit it");
      })
      .hidden();
  table
      .value("--lock-timeout", options.lock_timeout_s, "Wait at most this long for dpkg's lock",
             "SECONDS")
      .check(whole_number(0, 86400));
  table
      .value("--deadline", options.deadline_s,
             "Roll back an install that takes longer than this; 0: no limit", "SECONDS")
      .check(whole_number(0, 604800));
  add_setting_options(table, options.settings);
  add_sandbox_option(table, options.no_sandbox);
}

std::vector<std::string> words_of(const InstallOptions& options) {
  std::vector<std::string> words = {
      concat("--lock-timeout=", options.lock_timeout_s),
      concat("--deadline=", options.deadline_s),
  };
  const std::vector<std::string> others = nondefault_arguments(options);
  words.insert(words.end(), others.begin(), others.end());
  return words;
}

std::vector<std::string> nondefault_arguments(const InstallOptions& options) {
  std::vector<std::string> words;
  if (!options.python.empty()) words.push_back(concat("--python=", options.python));
  for (const std::string& id : options.accepted) words.push_back(concat("--accept=", id));
  const SettingOptions& settings = options.settings;
  if (!settings.profile.empty()) words.push_back(concat("--profile=", settings.profile));
  for (const std::string& wish : settings.set) words.push_back(concat("--set=", wish));
  for (const std::string& name : settings.unset) words.push_back(concat("--unset=", name));
  if (settings.forget) words.emplace_back("--forget-settings");
  if (options.write_set != "auto") words.push_back(concat("--write-set=", options.write_set));
  if (options.allow_downgrade) words.emplace_back("--allow-downgrade");
  if (options.no_sandbox) words.emplace_back("--no-sandbox");
  if (options.allow_older_lock) words.emplace_back("--allow-older-lock");
  if (options.allow_system_python) words.emplace_back("--allow-system-python");
  return words;
}

}  // namespace topsctl
