// One SSH connection, through other hosts where the configuration says so.
#pragma once

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

class SshTunnel;

// A session of libssh that is logged in.
class SshConnection {
 public:
  // `on_reached`: see Remote; empty: nothing. `log_in_method`: see log_in(). Throws
  // Error{unreachable}.
  SshConnection(const Target& target, const SshOptions& wishes, Secrets& secrets,
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

// Carries bytes between a socket of ours and a port that another connection's host reaches, in a
// thread of its own.
class SshTunnel {
 public:
  // Throws Error{unreachable}.
  SshTunnel(std::unique_ptr<SshConnection> through, const std::string& host, unsigned port,
            int timeout_s);
  ~SshTunnel();
  SshTunnel(const SshTunnel&) = delete;
  SshTunnel& operator=(const SshTunnel&) = delete;

  // Our end; whoever takes it closes it.
  int take_socket();

 private:
  class Pump;
  std::unique_ptr<Pump> pump_;
};

// A program at the far end of a channel. The connection must outlive it. `round_trip`: how long the
// channel took to open.
std::unique_ptr<RemoteStream> ssh_stream(const SshConnection& connection,
                                         const std::string& command_line,
                                         std::chrono::microseconds& round_trip);
// The same for what the server there has under a name.
std::unique_ptr<RemoteStream> ssh_subsystem(const SshConnection& connection,
                                            const std::string& name,
                                            std::chrono::microseconds& round_trip);

}  // namespace topsctl
