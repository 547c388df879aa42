// Properties of the host that a launch needs before it starts.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "topsctl/engine/launch/launch_plan.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// Whether the torch that an interpreter imports with this environment has torchrun. Checks its
// files; imports nothing.
LaunchEngine engine_of(const std::optional<PythonFacts>& python,
                       const std::map<std::string, std::string>& environment);
// A free TCP port of 127.0.0.1. Throws Error.
std::string free_port();
// Throws Error{busy} if the port is in use.
void require_free_port(const std::string& port);
// The address of this host in the current SSH connection (SSH_CONNECTION, sshd(8)); empty: unknown.
std::string address_of_server(const std::map<std::string, std::string>& environment);
// The path of this program, which starts the ranks.
std::string this_program();

}  // namespace topsctl
