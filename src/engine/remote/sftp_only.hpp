// Distinguishes hosts that accept files over SFTP and run no programs from those that are slow or
// gone.
#pragma once

#include <string>

#include "topsctl/base/error.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

// The first output of a remote program, or empty if it is worth waiting longer. While it is silent,
// starts another program: throws Error{host_unfit} if an SFTP server answers for any command.
std::string first_words(RemoteSession& session, RemoteStream& program, const Target& target);

// Call after a program that did not start. Throws Error{host_unfit} if the host has an SFTP server.
void refuse_if_files_only(RemoteSession& session, const Target& target);

}  // namespace topsctl
