// Signs by ssh-keygen, which supports agents, hardware keys and passphrases.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace topsctl {

// The armored signature of these bytes by the key in a file: a private key, or a public one whose
// private key an agent has. Runs ssh-keygen in this environment; it may prompt at the terminal.
// Throws Error{usage} if it does not sign, or if the key is not an Ed25519 key; Error{host_unfit}
// if it cannot be run. For a single-threaded process.
std::string signature_by(const std::string& key_file, std::string_view bytes,
                         std::string_view name_space,
                         const std::map<std::string, std::string>& environment);

}  // namespace topsctl
