// Commands that are run on other machines as they are run here.
#pragma once

#include <memory>
#include <string>

#include "cli/command.hpp"
#include "topsctl/engine/remote/run_messages.hpp"
#include "topsctl/host/network/prompter.hpp"

namespace topsctl {

// The heading in the help of options that are not for the command there.
inline constexpr const char* remote_group = "On remote hosts";

// Gives a command the options --target, --hosts and those that go with them. With one of the two,
// what `action` does is done on those machines, with the other options as they were given.
// `table` is the command's, and outlives the result.
CommandAction also_elsewhere(OptionTable& table, CommandAction action, RunAs run_as);

// The exit status of several machines together: what they have in common, else `otherwise`.
ExitCode common_exit(const std::vector<int>& statuses, ExitCode otherwise);

}  // namespace topsctl
