// What ssh_config(5) says of a host beyond what libssh tells its callers.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace topsctl {

// First value of each keyword that counts for the host, as ssh_config(5) has it.
struct SshConfig {
  std::optional<std::string> strict_host_key_checking;  // lower case
  std::optional<std::string> proxy_jump;
  // Lists of algorithms by their keyword in lower case: kexalgorithms, ciphers, macs,
  // hostkeyalgorithms, pubkeyacceptedalgorithms.
  std::map<std::string, std::string> algorithms;
  std::vector<std::string> known_hosts;  // UserKnownHostsFile, `~` as `home`; empty: not said
  bool operator==(const SshConfig&) const = default;
};

// Reads the files in their order; those that are not there say nothing. `host` is the name as it
// was given. `Match` blocks count with `all`, `host` and `originalhost` alone; others are passed
// over. `home` is what `~` and relative `Include` mean. Throws Error if a file cannot be read.
SshConfig ssh_config_of(const std::vector<std::filesystem::path>& files, const std::string& host,
                        const std::filesystem::path& home);

// Whether a list of algorithms begins with +, - or ^, and so changes the usual one.
bool changes_usual(const std::string& list);
// The usual list with what such a list adds (+), removes (-, patterns) or puts first (^).
std::string changed_list(const std::string& usual, const std::string& change);

// Whether a name fits a list of patterns with `*`, `?` and `!` (PATTERNS of ssh_config(5)).
bool fits_patterns(const std::string& name, const std::vector<std::string>& patterns);

}  // namespace topsctl
