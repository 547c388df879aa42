// Whether the responding host is the intended one.
#pragma once

#include <libssh/libssh.h>

#include <string>
#include <vector>

#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

// Files of known hosts.
struct KnownHosts {
  std::vector<std::string> own;  // at least one
  std::vector<std::string> global;
};

// Lets libssh ask for a host key of a kind that the files have for this host. Before it connects.
void prefer_known_keys(ssh_session session, const KnownHosts& files);

// Throws Error{unreachable} unless the server's key is known for this host, or `unknown` and, for
// UnknownKeys::ask, the person at the terminal allow it; it is then written down in the first of
// the user's files.
void require_trusted(ssh_session session, const SshPeer& peer, const KnownHosts& files,
                     UnknownKeys unknown, Secrets& secrets);

// Whether a file in the form of sshd(8), SSH_KNOWN_HOSTS FILE FORMAT, revokes this key for a host,
// named as in such a file. libssh ignores @revoked. `key` is in base64.
bool is_revoked(const std::string& known_hosts, const std::string& place, const std::string& key);

// The host's name for messages, with address, port and user if the name alone is ambiguous.
std::string label_of(const SshPeer& peer);

// Throws ConnectionLost with libssh's message.
[[noreturn]] void refuse_connection(ssh_session session, const SshPeer& peer,
                                    const std::string& act);
// The same with a given reason.
[[noreturn]] void refuse_connection(const SshPeer& peer, const std::string& act,
                                    const std::string& reason);

}  // namespace topsctl
