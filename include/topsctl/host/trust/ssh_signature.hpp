// Signatures as `ssh-keygen -Y sign` makes them (OpenSSH's PROTOCOL.sshsig), by Ed25519 keys alone.
#pragma once

#include <string>
#include <string_view>

namespace topsctl {

// An Ed25519 key as a line of authorized_keys has it.
struct SshPublicKey {
  std::string bytes;    // 32 of them
  std::string comment;  // empty: none
  bool operator==(const SshPublicKey&) const = default;
};

// Reads "ssh-ed25519 BASE64 [COMMENT]". Throws Error{host_unfit} for every other line.
SshPublicKey parse_ssh_key(std::string_view line);
// Its fingerprint as `ssh-keygen -l` prints it: "SHA256:..." of 43 characters of base64.
std::string key_id(std::string_view key_bytes);

// The key (32 bytes) that made this armored signature of these very bytes in this namespace.
// Nobody has said yet that the key is to be believed. Throws Error{bad_package} for what is no such
// signature, has more or less than it needs, or does not fit the bytes.
std::string signing_key(std::string_view bytes, std::string_view armored,
                        std::string_view name_space);

}  // namespace topsctl
