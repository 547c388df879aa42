// Examines the environment and the ancestors.
#include "topsctl/host/facts/start_way.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "host/facts/process_files.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::vector<std::string> ancestors_of_this_process() {
  constexpr std::size_t most_ancestors = 64;
  std::vector<std::string> names;
  std::string process = concat(::getppid());
  while (names.size() < most_ancestors) {
    const std::filesystem::path folder = concat("/proc/", process);
    const std::vector<std::string> status = process_status(folder);
    if (status.size() < 2) break;  // it has just ended, or its status is unreadable
    names.emplace_back(trimmed(process_text(folder / "comm")));
    process = status[1];
  }
  return names;
}

}  // namespace

std::string_view name(StartWay way) {
  switch (way) {
    case StartWay::shell:
      return "shell";
    case StartWay::zsh:
      return "zsh";
    case StartWay::csh:
      return "csh";
    case StartWay::fish:
      return "fish";
    case StartWay::sudo:
      return "sudo";
    case StartWay::ssh_command:
      return "ssh-command";
    case StartWay::cron:
      return "cron";
    case StartWay::unit:
      return "unit";
    case StartWay::container:
      return "container";
  }
  return "shell";
}

StartWay start_way(const std::map<std::string, std::string>& environment,
                   const std::vector<std::string>& ancestors, bool is_in_container) {
  const auto is_set = [&](const char* variable) { return environment.contains(variable); };
  const auto descends_from = [&](std::string_view program) {
    return std::find(ancestors.begin(), ancestors.end(), program) != ancestors.end();
  };
  if (is_set("SUDO_COMMAND")) return StartWay::sudo;
  if (descends_from("cron") || descends_from("crond")) return StartWay::cron;
  if (is_set("INVOCATION_ID") && is_set("JOURNAL_STREAM")) return StartWay::unit;
  if (is_set("SSH_CONNECTION") && !is_set("SSH_TTY")) return StartWay::ssh_command;
  const std::string shell = ancestors.empty() ? std::string() : ancestors.front();
  if (shell == "zsh") return StartWay::zsh;
  if (shell.ends_with("csh")) return StartWay::csh;
  if (shell == "fish") return StartWay::fish;
  return is_in_container && !is_set("SSH_CONNECTION") ? StartWay::container : StartWay::shell;
}

StartWay start_way(const Host& host) {
  std::error_code ignored;
  const bool is_in_container = std::filesystem::exists("/.dockerenv", ignored) ||
                               std::filesystem::exists("/run/.containerenv", ignored);
  return start_way(host.environment, ancestors_of_this_process(), is_in_container);
}

}  // namespace topsctl
