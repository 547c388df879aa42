// Logging in to an SSH server.
#pragma once

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include <atomic>

#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

struct LogIn {
  ssh_session session;
  const SshPeer& peer;
  Secrets& secrets;
  Asking asking = Asking::allowed;
};

// Logs in with keys, an agent, or what is typed. `callbacks` are the session's from then on, and
// must outlive it. `method`: one of SSH_AUTH_METHOD_* that alone has let us in before, and is tried
// without asking which ones are taken; 0: none, and then set if one has. Throws Error{unreachable},
// or AnswersSpent where nobody may be asked.
void log_in(LogIn login, ssh_callbacks_struct& callbacks, std::atomic<int>& method);

}  // namespace topsctl
