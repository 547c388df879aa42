// Runs commands on other hosts as they run locally.
#pragma once

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "topsctl/engine/remote/run_messages.hpp"
#include "topsctl/host/network/prompter.hpp"

namespace topsctl {

// The help heading of options that are not passed to the remote command.
inline constexpr const char* remote_group = "On remote hosts";

// Adds --target, --hosts and related options to a command. With one of the two, runs the action on
// those hosts, with the other options as given. `table` is the command's, and must outlive the
// result.
CommandAction also_elsewhere(OptionTable& table, CommandAction action, RunAs run_as);

// The exit status of several hosts together: the common one, else `otherwise`.
ExitCode common_exit(const std::vector<int>& statuses, ExitCode otherwise);

}  // namespace topsctl
