// An SSH agent that lists its keys in the order in which to offer them.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {

enum class OtherKeys { after, none };

// A proxy between libssh, which offers all keys of an agent in their order, and the agent: servers
// give up after six keys.
class AgentFilter {
 public:
  // `wanted`: public keys in wire format; listed first. Not open if there is no agent.
  AgentFilter(const std::string& agent_socket, std::vector<std::string> wanted, OtherKeys others);
  ~AgentFilter();
  AgentFilter(const AgentFilter&) = delete;
  AgentFilter& operator=(const AgentFilter&) = delete;

  bool is_open() const { return agent_.is_open(); }
  // The end for libssh, which closes it; once.
  int take_socket();

 private:
  void serve();

  std::vector<std::string> wanted_;
  OtherKeys others_;
  Descriptor agent_;
  Descriptor ours_;
  int theirs_ = -1;
  std::thread thread_;
};

// The key list in an agent's answer (SSH_AGENT_IDENTITIES_ANSWER), rearranged in that order.
// Returns a malformed list unchanged.
std::string arranged_identities(const std::string& answer, const std::vector<std::string>& wanted,
                                OtherKeys others);

}  // namespace topsctl
