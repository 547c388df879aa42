// Whether the machine that answers is the one that is meant.
#pragma once

#include <libssh/libssh.h>

#include <string>
#include <vector>

#include "topsctl/host/network/ssh_remote.hpp"

namespace topsctl {

// Throws Error{unreachable} unless the server's key is known for this host, or `unknown` and, for
// UnknownKeys::ask, the person at the terminal allow it; it is then written down in the first of
// the user's files. `files` are those that ssh_config names; none: libssh's own.
void require_trusted(ssh_session session, const SshPeer& peer,
                     const std::vector<std::string>& files, UnknownKeys unknown, Secrets& secrets);

// Whether a file in the form of sshd(8), SSH_KNOWN_HOSTS FILE FORMAT, revokes this key for a host.
// libssh passes @revoked over. `key` is as base64.
bool is_revoked(const std::string& known_hosts, const std::string& host, unsigned port,
                const std::string& key);

// The value of an option as libssh has it; empty: it has none.
std::string ssh_option(ssh_session session, ssh_options_e which);

// Throws ConnectionLost with what libssh says.
[[noreturn]] void refuse_connection(ssh_session session, const SshPeer& peer,
                                    const std::string& act);

}  // namespace topsctl
