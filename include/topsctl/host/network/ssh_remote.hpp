// Machines that are reached over SSH.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "topsctl/host/network/prompter.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

// What to do with a host whose key is not known: ask a person, believe it and write it down, or
// refuse it. Changed and revoked keys are refused whatever this says.
enum class UnknownKeys { ask, accept, refuse };

// How machines are to be reached, beyond what ssh_config says.
struct SshOptions {
  std::filesystem::path home;               // whose .ssh counts
  std::string own_user;                     // the name to log in by when nothing says another
  std::string config;                       // a file instead of ~/.ssh/config; empty: that one
  std::string identity;                     // a key file to try first; empty: none
  std::string jump;                         // as ProxyJump; empty: as the configuration says
  std::optional<UnknownKeys> unknown_keys;  // nothing: as StrictHostKeyChecking says
  int connect_timeout_s = 20;
};

// The machine of a target, not its container. `secrets` must outlive it, and what it gives.
std::unique_ptr<Remote> ssh_remote(const Target& target, const SshOptions& wishes,
                                   Secrets& secrets);

// The other side of one connection.
struct SshPeer {
  std::string name;  // as it was given, for messages
  std::string host;  // after HostName
  unsigned port = 22;
  std::string user;
};

}  // namespace topsctl
