// Connections of OpenSSH that are open already (ControlMaster).
#pragma once

#include <memory>

#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

// Programs through the open connection that ssh_config's ControlPath names; null if there is none.
// It needs the program ssh, which has opened it.
std::unique_ptr<RemoteSession> session_of_master(const Target& target, const SshOptions& wishes);

}  // namespace topsctl
