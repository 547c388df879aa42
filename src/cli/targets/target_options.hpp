// The options of commands that work on other hosts.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "topsctl/engine/remote/target_pool.hpp"
#include "topsctl/host/network/prompter.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/network/ssh_remote.hpp"
#include "topsctl/model/target.hpp"

namespace topsctl {

struct TargetOptions {
  std::vector<std::string> targets;
  std::string hosts_file;
  std::string container;
  unsigned jobs = 8;
  std::optional<std::size_t> most_failures;
  std::size_t canaries = 0;
  bool accept_new = false;
  std::string identity;
  std::string ssh_config;
  std::string jump;
  int connect_timeout_s = 0;  // 0: by ssh_config
};

// How the remote sudo gets its password.
struct SudoOptions {
  bool ask = false;       // for each target
  bool ask_once = false;  // one password for all of them
};

// All except the targets themselves, which some commands take as arguments and others by --target.
void add_target_options(OptionTable& table, TargetOptions& options);

void add_sudo_options(OptionTable& table, SudoOptions& options);

// The given targets, each once. Throws Error{usage} if there are none.
std::vector<Target> targets_of(const TargetOptions& options);
TargetPoolOptions pool_options_of(const TargetOptions& options);

// How SSH reaches them.
SshOptions ssh_options_of(const TargetOptions& options, const Session& session);

// The connection to one of them. `secrets` must outlive it.
std::unique_ptr<Remote> remote_of(const Target& target, const TargetOptions& options,
                                  const Session& session, Secrets& secrets);

// Settings of ssh_config for these targets that topsctl does not support.
std::vector<std::string> ssh_warnings(const TargetOptions& options, const Session& session);

// One per target, so that no host receives another one's sudo password, unless the options say that
// they are the same; empty for logins as root, also by ssh_config, and if none is needed. Throws
// Error{usage} if there is no terminal.
std::vector<Secret> sudo_passwords(const std::vector<Target>& targets, const SudoOptions& options,
                                   const SshOptions& wishes, Secrets& secrets);

// The cache directory of topsctl, for the user who runs it.
std::filesystem::path cache_folder(const Session& session);

}  // namespace topsctl
