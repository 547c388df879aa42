// What tells one connection of an operator to this machine from another.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace topsctl {

// Each part is empty if this machine does not tell it.
struct Connection {
  std::string ssh;      // SSH_CONNECTION: addresses and ports of both sides
  std::string login;    // the kernel's number of the log-in, which sudo and su leave as it is
  std::string session;  // the kernel's session, and when its leader was started
  bool operator==(const Connection&) const = default;
};

// Of this process. `environment` is its own; where sudo has emptied it, the nearest ancestor is
// asked that has the variable.
Connection this_connection(const std::map<std::string, std::string>& environment);

// Of the other end of a connected socket, numeric; empty: it is none of the network.
std::string peer_address(int socket);

// The shortest that TCP has measured on a connected socket; 0: not known.
std::chrono::microseconds round_trip_of(int socket);

// Whether both are the same connection, by the first part that either of them (ssh) or both (login)
// have, else by the session.
bool is_same_connection(const Connection& a, const Connection& b);

}  // namespace topsctl
