// Signatures in the format of `ssh-keygen -Y sign` (OpenSSH's PROTOCOL.sshsig), Ed25519 keys only.
#pragma once

#include <string>
#include <string_view>

namespace topsctl {

// An Ed25519 key, as in a line of authorized_keys.
struct SshPublicKey {
  std::string bytes;    // 32 bytes
  std::string comment;  // empty: none
  bool operator==(const SshPublicKey&) const = default;
};

// Parses "ssh-ed25519 BASE64 [COMMENT]". Throws Error{host_unfit} for any other line.
SshPublicKey parse_ssh_key(std::string_view line);
// Its fingerprint in the form of `ssh-keygen -l`: "SHA256:..." with 43 characters of base64.
std::string key_id(std::string_view key_bytes);

// The key (32 bytes) that made this armored signature of exactly these bytes in this namespace.
// Does not check that the key is trusted. Throws Error{bad_package} for an invalid signature, one
// with missing or extra data, and one that does not match the bytes.
std::string signing_key(std::string_view bytes, std::string_view armored,
                        std::string_view name_space);

}  // namespace topsctl
