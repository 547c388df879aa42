// One SSH connection, through other hosts if configured.
#pragma once

#include <libssh/libssh.h>

#include <atomic>
#include <memory>

#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

class SshTunnel;
struct SshConfig;

// A logged-in session of libssh.
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
  void configure(const Target& target, const SshOptions& wishes, const SshConfig& config);
  // A socket to the host, directly or through other hosts; -1: libssh runs a ProxyCommand for it.
  int open_way(const SshConfig& config, const SshOptions& wishes, Secrets& secrets,
               const Steps& steps, int timeout_s);

  ssh_session session_;
  SshPeer peer_;
  std::unique_ptr<SshTunnel> tunnel_;  // its transport; outlives the session
};

}  // namespace topsctl
