// Connections of OpenSSH that are open already (ControlMaster).
#pragma once

#include <memory>

#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

// Runs programs over the open connection of ssh_config's ControlPath; null without one. Needs the
// program ssh, which opened it.
std::unique_ptr<RemoteSession> session_of_master(const Target& target, const SshOptions& wishes);

}  // namespace topsctl
