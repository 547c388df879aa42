// Streams and tunnels through an SSH connection.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "host/network/ssh_connection.hpp"
#include "topsctl/host/network/remote.hpp"

namespace topsctl {

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
