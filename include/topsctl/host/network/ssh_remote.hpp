// Hosts that are reached over SSH.
#pragma once

#include <functional>
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

// How to handle unknown host keys: ask a person, accept and save them, or reject them. Changed and
// revoked keys are always rejected.
enum class UnknownKeys { ask, accept, refuse };

// SSH options beyond ssh_config.
struct SshOptions {
  std::map<std::string, std::string> environment;  // of this process: HOME, SSH_AUTH_SOCK and so on
  std::string config;                              // replaces the usual files; empty: the usual
                                                   // files
  std::string identity;                            // a key file to try first; empty: none
  std::string jump;                                // like ProxyJump; empty: by the configuration
  std::optional<UnknownKeys> unknown_keys;         // nothing: by StrictHostKeyChecking
  int connect_timeout_s = 0;                       // 0: by ConnectTimeout, else 20 s
  // Gets a line on a login that takes longer than that, from another thread; empty: nothing is
  // said.
  std::function<void(const std::string&)> on_slow_login = {};
};

// The host of a target, not its container. `secrets` must outlive it and its sessions.
std::unique_ptr<Remote> ssh_remote(const Target& target, const SshOptions& wishes,
                                   Secrets& secrets);

// The user that a target is logged into as: given, by ssh_config, or who runs topsctl. Throws
// Error{usage}.
std::string ssh_user(const Target& target, const SshOptions& wishes);

// Settings of ssh_config that topsctl does not support for a target and its jump hosts:
// "VerifyHostKeyDNS yes in ...". Throws Error{usage}.
std::vector<std::string> unsupported_ssh_settings(const Target& target, const SshOptions& wishes);

// Host names in ssh_config: the Host lines without patterns. Runs no command of `Match exec`.
// Throws Error{usage}.
std::set<std::string> ssh_host_names(const SshOptions& wishes);

// The server of one connection.
struct SshPeer {
  std::string name;  // as given, for messages
  std::string host;  // after HostName
  unsigned port = 22;
  std::string user;
  std::string known_as;          // its name in known_hosts: "[node1]:2222", or HostKeyAlias
  std::string on_way_to = {};    // of a jump host: the next host
  std::string ssh_command = {};  // an ssh command that reaches it in the same way
};

}  // namespace topsctl
