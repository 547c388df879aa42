// The combined settings of ssh_config and the command line for one target.
#pragma once

#include <string>
#include <vector>

#include "host/network/ssh_config.hpp"
#include "host/network/ssh_trust.hpp"
#include "topsctl/host/network/ssh_remote.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

// Throws Error{usage} if the file that was named cannot be read.
SshConfig ssh_config_for(const Target& target, const SshOptions& wishes);

KnownHosts known_hosts_of(const SshConfig& config);
UnknownKeys unknown_keys_of(const SshConfig& config, const SshOptions& wishes);
int connect_timeout_of(const SshConfig& config, const SshOptions& wishes);

// The last of ProxyJump's hosts; `before`: the earlier ones.
Target last_hop(const std::string& jump, std::string& before);

// A command line of ssh that reaches the same host: "ssh", "-F", ..., "user@node1".
std::vector<std::string> ssh_words(const Target& target, const SshOptions& wishes);

}  // namespace topsctl
