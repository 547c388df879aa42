// How this program was started: it determines which start files were read.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

enum class StartWay { shell, zsh, csh, fish, sudo, ssh_command, cron, unit, container };
// As in the ids of findings: "shell", "ssh-command".
std::string_view name(StartWay way);

// From its environment and the names of its ancestors (comm of proc(5)), nearest first.
StartWay start_way(const std::map<std::string, std::string>& environment,
                   const std::vector<std::string>& ancestors, bool is_in_container);
// Of this process.
StartWay start_way(const Host& host);

}  // namespace topsctl
