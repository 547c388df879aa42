// Logging in by keys: in files, in an agent, with certificates.
#pragma once

#include <libssh/libssh.h>

#include <memory>
#include <string>
#include <vector>

#include "host/network/agent_filter.hpp"

namespace topsctl {

struct SshKeyRelease {
  void operator()(ssh_key key) const { ssh_key_free(key); }
};
using SshKey = std::unique_ptr<ssh_key_struct, SshKeyRelease>;

struct KeyWishes {
  std::vector<std::string> files;  // private keys, or public ones whose private is in the agent
  std::vector<std::string> certificates;  // in addition to FILE-cert.pub of each
  std::string agent;                      // its socket; empty: none
  OtherKeys others = OtherKeys::after;    // none: ignore the agent's keys that no file names
};

// In OpenSSH's order: keys of the agent that files name, its other ones, then files. `ask` is
// called for passphrases. One of SSH_AUTH_*.
int log_in_with_keys(ssh_session session, const KeyWishes& wishes, ssh_auth_callback ask,
                     void* asker);

}  // namespace topsctl
