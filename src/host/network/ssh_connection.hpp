// One SSH connection, through other hosts where the configuration says so.
#pragma once

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include <atomic>
#include <memory>

#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

class SshTunnel;

// A session of libssh that is logged in.
class SshConnection {
 public:
  // `asking`, `on_reached`: see Remote; empty: nothing. `log_in_method`: see log_in(). Throws
  // Error{unreachable}.
  SshConnection(const Target& target, const SshOptions& wishes, Secrets& secrets, Asking asking,
                const Remote::Reached& on_reached, std::atomic<int>& log_in_method);
  ~SshConnection();
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;

  ssh_session session() const { return session_; }
  const SshPeer& peer() const { return peer_; }
  bool is_tunneled() const { return tunnel_ != nullptr; }

 private:
  struct Steps;
  SshConnection(const Target& target, const SshOptions& wishes, Secrets& secrets,
                const Steps& steps);
  void connect(const Target& target, const SshOptions& wishes, Secrets& secrets,
               const Steps& steps);
  void configure(const Target& target, const SshOptions& wishes);

  ssh_session session_;
  ssh_callbacks_struct callbacks_{};
  SshPeer peer_;
  std::unique_ptr<SshTunnel> tunnel_;  // through which it goes; outlives the session
};

}  // namespace topsctl
