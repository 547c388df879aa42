// The signing keys that this host trusts, and whether it requires signatures.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "topsctl/host/trust/ssh_signature.hpp"

namespace topsctl {

inline constexpr const char* trusted_keys_folder = "/etc/topsctl/trusted.d";
inline constexpr const char* policy_file = "/etc/topsctl/config.json";

// The keys of all files *.pub, with lines as in authorized_keys: type, key, comment. Empty if there
// is no such directory. Throws Error{permission} if users other than root and the caller could
// change them, Error{host_unfit} for a line that is not an Ed25519 key.
std::vector<SshPublicKey> read_trusted_keys(
    const std::filesystem::path& folder = trusted_keys_folder);

struct Policy {
  bool require_signature = false;  // nothing is installed or sent without a signed lock
};
// {"require-signature": true}; without a file nothing is demanded. Throws as read_trusted_keys.
Policy read_policy(const std::filesystem::path& file = policy_file);

}  // namespace topsctl
