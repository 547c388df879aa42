// What a launch asks of the host before it starts.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "topsctl/engine/launch/launch_plan.hpp"
#include "topsctl/model/host_facts.hpp"

namespace topsctl {

// Whether the torch that an interpreter imports with this environment brings torchrun, by its
// files: nothing is imported.
LaunchEngine engine_of(const std::optional<PythonFacts>& python,
                       const std::map<std::string, std::string>& environment);
// A TCP port of 127.0.0.1 that nobody has now. Throws Error.
std::string free_port();
// Throws Error{busy} if somebody has it.
void require_free_port(const std::string& port);
// The address by which this host's SSH server was reached (SSH_CONNECTION, sshd(8)); empty:
// unknown.
std::string address_of_server(const std::map<std::string, std::string>& environment);
// The network interface that has this numeric address; empty: none has.
std::string interface_with(const std::string& address);
// This very program, by which ranks are started.
std::string this_program();

}  // namespace topsctl
