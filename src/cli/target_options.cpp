// Options for targets, and what they mean.
#include "cli/target_options.hpp"

#include <algorithm>

#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/local_remote.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

std::string variable(const Session& session, const char* name) {
  const auto found = session.host.environment.find(name);
  return found == session.host.environment.end() ? "" : found->second;
}

}  // namespace

void add_target_options(OptionTable& table, TargetOptions& options) {
  table.value("--hosts", options.hosts_file, "A file with one target a line", "FILE");
  table.value("--container", options.container, "This container on each target", "NAME");
  table.value("-j,--jobs", options.jobs, "How many targets at once", "N")
      .check(whole_number(1, 256));
  table
      .value("--max-failures", options.most_failures,
             "Start no other target once more than so many have failed", "N")
      .check(whole_number(0, 100000));
  table.value("--canary", options.canaries, "Deploy to N targets first; stop if one fails", "N")
      .check(whole_number(0, 100000));
  table.flag("--accept-new", options.accept_new, "Accept and save unknown host keys");
  table.value("-i,--identity", options.identity, "A key file to log in with", "FILE");
  table.value("-F,--ssh-config", options.ssh_config, "Instead of ~/.ssh/config", "FILE");
  table.value("-J,--jump", options.jump, "Hosts on the way, as ssh -J has them", "HOSTS");
  table
      .value("--connect-timeout", options.connect_timeout_s, "How long to wait for a host",
             "SECONDS")
      .check(whole_number(1, 3600));
}

void add_sudo_options(OptionTable& table, SudoOptions& options) {
  table.flag("--ask-sudo-pass", options.ask, "Ask for the password of sudo on each target");
  table.flag("--same-sudo-pass", options.ask_once, "Ask once: it is the same on all targets");
}

std::vector<Target> targets_of(const TargetOptions& options) {
  std::vector<Target> given;
  for (const std::string& text : options.targets) given.push_back(parse_target(text));
  if (!options.hosts_file.empty()) {
    const auto text = read_text_if_present(options.hosts_file);
    if (!text) {
      throw Error(ErrorCode::usage, format("no such file: {}", in_quotes(options.hosts_file)),
                  "give a file with one target a line");
    }
    for (Target& target : parse_targets(*text, in_quotes(options.hosts_file)))
      given.push_back(std::move(target));
  }
  std::vector<Target> targets;
  for (Target& target : given) {
    if (!options.container.empty() && target.container.empty())
      target = parse_target(concat(target.text(), "/", options.container));
    if (std::find(targets.begin(), targets.end(), target) == targets.end())
      targets.push_back(std::move(target));
  }
  if (targets.empty()) {
    throw Error(ErrorCode::usage, "no target given",
                "name one as [USER@]HOST[:PORT][/CONTAINER], or a file of them with --hosts");
  }
  return targets;
}

TargetPoolOptions pool_options_of(const TargetOptions& options) {
  return {options.jobs, options.most_failures, options.canaries};
}

std::unique_ptr<Remote> remote_of(const Target& target, const TargetOptions& options,
                                  const Session& session, Secrets& secrets) {
  if (target.is_local()) return local_remote(session.host.environment);
  SshOptions wishes;
  wishes.home = variable(session, "HOME");
  wishes.own_user = variable(session, "USER");
  wishes.config = options.ssh_config;
  wishes.identity = options.identity;
  wishes.jump = options.jump;
  wishes.connect_timeout_s = options.connect_timeout_s;
  if (options.accept_new) wishes.unknown_keys = UnknownKeys::accept;
  return ssh_remote(target, wishes, secrets);
}

std::vector<Secret> sudo_passwords(const std::vector<Target>& targets, const SudoOptions& options,
                                   Secrets& secrets) {
  std::vector<Secret> passwords;
  for (const Target& target : targets) {
    Secret& password = passwords.emplace_back();
    if (target.user == "root" || (!options.ask && !options.ask_once)) continue;
    const auto typed =
        secrets.answer({options.ask_once ? format("Password for sudo on all targets:")
                                         : format("Password for sudo on {}:", target.text())});
    if (!typed) {
      throw Error(ErrorCode::usage, "there is no terminal to ask for sudo's password at",
                  "run topsctl at a terminal, or let sudo ask for none there");
    }
    password = *typed;
  }
  return passwords;
}

std::filesystem::path cache_folder(const Session& session) {
  const std::string cache = variable(session, "XDG_CACHE_HOME");
  if (cache.starts_with('/')) return std::filesystem::path(cache) / "topsctl";
  const std::string home = variable(session, "HOME");
  return std::filesystem::path(home.starts_with('/') ? home : "/root") / ".cache" / "topsctl";
}

}  // namespace topsctl
