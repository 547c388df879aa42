// Distinguishes the operator's connections to this host.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace topsctl {

// Each part is empty if this host does not provide it.
struct Connection {
  std::string ssh;      // SSH_CONNECTION: addresses and ports of both sides
  std::string login;    // the kernel's audit session id, which sudo and su keep
  std::string session;  // the kernel's session, and the start time of its leader
  bool operator==(const Connection&) const = default;
};

// The connection of this process. `environment` is its own; if sudo removed the variable, uses the
// nearest ancestor that has it.
Connection this_connection(const std::map<std::string, std::string>& environment);

// The numeric address of a connected socket's peer; empty: not a network socket.
std::string peer_address(int socket);

// The network interface of this host with this numeric address; empty: none.
std::string interface_with(const std::string& address);

// The minimum round-trip time that TCP measured on a connected socket; 0: unknown.
std::chrono::microseconds round_trip_of(int socket);

// Whether both are the same connection, by the first part that either of them (ssh) or both (login)
// have, else by the session.
bool is_same_connection(const Connection& a, const Connection& b);

}  // namespace topsctl
