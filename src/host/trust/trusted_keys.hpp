// Whose signatures count on the machine that topsctl runs on, and whether one is demanded there.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/host/trust/ssh_signature.hpp"

namespace topsctl {

inline constexpr const char* trusted_keys_folder = "/etc/topsctl/trusted.d";
inline constexpr const char* policy_file = "/etc/topsctl/config.json";

// The keys of all files *.pub, which have lines as authorized_keys has: type, key, comment. None if
// there is no such folder. Throws Error{permission} if others than root and we could change them,
// Error{host_unfit} for a line that is no Ed25519 key.
std::vector<SshPublicKey> read_trusted_keys(
    const std::filesystem::path& folder = trusted_keys_folder);

struct Policy {
  bool require_signature = false;  // nothing is installed or sent without a signed lock
};
// {"require-signature": true}; without a file nothing is demanded. Throws as read_trusted_keys.
Policy read_policy(const std::filesystem::path& file = policy_file);

}  // namespace topsctl
