// Streams and tunnels through an SSH connection.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "host/network/ssh_connection.hpp"
#include "topsctl/host/network/remote.hpp"

namespace topsctl {

// Copies bytes between our socket and a port that another connection's host reaches, on its own
// thread.
class SshTunnel {
 public:
  // Throws Error{unreachable}.
  SshTunnel(std::unique_ptr<SshConnection> through, const std::string& host, unsigned port,
            int timeout_s);
  ~SshTunnel();
  SshTunnel(const SshTunnel&) = delete;
  SshTunnel& operator=(const SshTunnel&) = delete;

  // Our end; the caller must close it.
  int take_socket();

 private:
  class Pump;
  std::unique_ptr<Pump> pump_;
};

// A remote program over a channel. The connection must outlive it. `round_trip`: the time for
// opening the channel.
std::unique_ptr<RemoteStream> ssh_stream(const SshConnection& connection,
                                         const std::string& command_line,
                                         std::chrono::microseconds& round_trip);

// The same for a subsystem of the server.
std::unique_ptr<RemoteStream> ssh_subsystem(const SshConnection& connection,
                                            const std::string& name,
                                            std::chrono::microseconds& round_trip);

}  // namespace topsctl
