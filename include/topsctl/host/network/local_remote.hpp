// This host, through the interface of a remote one.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "topsctl/host/network/remote.hpp"

namespace topsctl {

// Runs command lines by /bin/sh in this environment.
std::unique_ptr<Remote> local_remote(const std::map<std::string, std::string>& environment);

}  // namespace topsctl
