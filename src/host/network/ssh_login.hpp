// Logging in to an SSH server.
#pragma once

#include <libssh/libssh.h>

#include <atomic>
#include <vector>

#include "host/network/ssh_keys.hpp"
#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

struct SshConfig;

// The methods, and their order.
struct AuthWishes {
  KeyWishes keys;
  std::vector<int> methods;  // SSH_AUTH_METHOD_*, the first first
  int most_tries = 3;        // of a password
  bool may_ask = true;       // false: BatchMode
};
// `identity`: a key file that is tried first; empty: none.
AuthWishes auth_wishes(const SshConfig& config, const std::string& identity);

struct LogIn {
  ssh_session session;
  const SshPeer& peer;
  Secrets& secrets;
  const AuthWishes& wishes;
  Asking asking = Asking::allowed;
};

// Logs in with keys, an agent, or typed answers. `method`: the SSH_AUTH_METHOD_* that succeeded
// alone before; tried without querying the accepted methods; 0: none, and set after a success.
// Throws Error{unreachable}, or AnswersSpent if no person may be asked.
void log_in(LogIn login, std::atomic<int>& method);

}  // namespace topsctl
