// Machines that take files over SFTP and run no programs, told from those that are slow or gone.
#pragma once

#include <string>

#include "topsctl/base/error.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

// The first that a program at the far end says, or nothing if it is worth to be waited for. While
// it is silent another one is asked for: where an SFTP server answers whatever is to be run, throws
// Error{host_unfit}.
std::string first_words(RemoteSession& session, RemoteStream& program, const Target& target);

// After a program that did not start. Throws Error{host_unfit} if an SFTP server can be had there.
void refuse_if_files_only(RemoteSession& session, const Target& target);

}  // namespace topsctl
