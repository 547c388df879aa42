// Machines that are reached over SSH.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "topsctl/host/network/prompter.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

// What to do with a host whose key is not known: ask a person, believe it and write it down, or
// refuse it. Changed and revoked keys are refused whatever this says.
enum class UnknownKeys { ask, accept, refuse };

// How machines are to be reached, beyond what ssh_config says.
struct SshOptions {
  std::map<std::string, std::string> environment;  // of this process: HOME, SSH_AUTH_SOCK and so on
  std::string config;                              // a file instead of the usual ones; empty: those
  std::string identity;                            // a key file to try first; empty: none
  std::string jump;                                // as ProxyJump; empty: as the configuration says
  std::optional<UnknownKeys> unknown_keys;         // nothing: as StrictHostKeyChecking says
  int connect_timeout_s = 0;                       // 0: as ConnectTimeout says, else 20 s
};

// The machine of a target, not its container. `secrets` must outlive it, and what it gives.
std::unique_ptr<Remote> ssh_remote(const Target& target, const SshOptions& wishes,
                                   Secrets& secrets);

// What ssh_config says for a target that topsctl does not do: "VerifyHostKeyDNS yes in ...". Also
// of the jump hosts on the way. Throws Error{usage}.
std::vector<std::string> unsupported_ssh_settings(const Target& target, const SshOptions& wishes);

// Names of hosts in ssh_config: those of Host lines that are no patterns. Runs no command of
// `Match exec`. Throws Error{usage}.
std::set<std::string> ssh_host_names(const SshOptions& wishes);

// The other side of one connection.
struct SshPeer {
  std::string name;  // as it was given, for messages
  std::string host;  // after HostName
  unsigned port = 22;
  std::string user;
  std::string known_as;          // its name in known_hosts: "[node1]:2222", or HostKeyAlias
  std::string on_way_to = {};    // of a jump host: the host behind it
  std::string ssh_command = {};  // reaches it as topsctl does
};

}  // namespace topsctl
