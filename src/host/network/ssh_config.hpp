// Settings of ssh_config(5) for a host, by OpenSSH's rules.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// The host for which the files are read, and the values given beside them.
struct SshConfigQuery {
  std::vector<std::filesystem::path> files;  // in their order; missing files are ignored
  std::string host;                          // as given
  std::string user;                          // given; empty: from the files
  unsigned port = 0;                         // given; 0: from the files
  std::string jump;                          // given, like ProxyJump; empty: from the files
  std::string local_user;
  std::filesystem::path home;                      // of `~`, and whose .ssh relative Includes mean
  std::map<std::string, std::string> environment;  // of ${NAME}
  // Runs the command of `Match exec`: whether it ends with 0. Empty: such blocks do not count.
  std::function<bool(const std::string& command)> run = {};
  // The canonical name of a host that resolves, for CanonicalizeHostname. Empty: nothing resolves.
  std::function<std::optional<std::string>(const std::string& host)> resolve = {};
};

struct SshConfig {
  std::string host;  // to connect to: after HostName and CanonicalizeHostname
  unsigned port = 22;
  std::string user;
  // By keyword in lower case, as written. Only UserKnownHostsFile and the like have several values,
  // and cumulative keywords: IdentityFile, CertificateFile.
  std::map<std::string, std::vector<std::string>> values;
  // Settings without effect here: "GSSAPIAuthentication yes in /etc/ssh/ssh_config".
  std::vector<std::string> ignored;
  // Host lines without patterns, from every file that was read.
  std::set<std::string> named_hosts;

  // The first value of a keyword, "" if it is missing.
  std::string value(const std::string& keyword) const;
  // Whether it is "yes"; `usual` if it is not set.
  bool is_yes(const std::string& keyword, bool usual) const;
  // Values with their tokens (%h), variables (${HOME}) and `~` expanded; without "none".
  std::vector<std::string> expanded(const std::string& keyword) const;
  std::string expanded_text(std::string_view text) const;

  std::map<char, std::string> tokens;  // %h and so on
  std::filesystem::path home;
  std::map<std::string, std::string> environment;
};

// Throws Error{usage} if a file cannot be read, or a name in a file could be misinterpreted by a
// shell.
SshConfig ssh_config_of(const SshConfigQuery& query);

}  // namespace topsctl
