// Options for targets, and their values.
#include "cli/targets/target_options.hpp"

#include <algorithm>

#include "cli/option_table.hpp"
#include "cli/validators.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/local_remote.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::string variable(const Session& session, const char* name) {
  const auto found = session.host.environment.find(name);
  return found == session.host.environment.end() ? "" : found->second;
}

}  // namespace

void add_target_options(OptionTable& table, TargetOptions& options) {
  table.value("--hosts", options.hosts_file, "File with one target per line", "FILE");
  table.value("--container", options.container, "Work in this container on each target", "NAME");
  table.value("-j,--jobs", options.jobs, "Number of targets at once", "N")
      .check(whole_number(1, 256));
  table
      .value("--max-failures", options.most_failures,
             "Start no further target after more than N failures", "N")
      .check(whole_number(0, 100000));
  table.value("--canary", options.canaries, "Deploy to N targets first; stop if one fails", "N")
      .check(whole_number(0, 100000));
  table.flag("--accept-new", options.accept_new, "Accept and save unknown host keys");
  table.value("-i,--identity", options.identity, "Key file for login", "FILE");
  table.value("-F,--ssh-config", options.ssh_config, "Use this file instead of ~/.ssh/config",
              "FILE");
  table.value("-J,--jump", options.jump, "Jump hosts, as for ssh -J", "HOSTS");
  table
      .value("--connect-timeout", options.connect_timeout_s, "Wait at most this long for a host",
             "SECONDS")
      .check(whole_number(1, 3600));
}

void add_sudo_options(OptionTable& table, SudoOptions& options) {
  table.flag("--ask-sudo-pass", options.ask, "Ask for the sudo password of each target");
  table.flag("--same-sudo-pass", options.ask_once, "Ask once: it is the same on all targets");
}

std::vector<Target> targets_of(const TargetOptions& options) {
  std::vector<Target> given;
  for (const std::string& text : options.targets) given.push_back(parse_target(text));
  if (!options.hosts_file.empty()) {
    const auto text = read_text_if_present(options.hosts_file);
    if (!text) {
      throw Error(ErrorCode::usage, format("no such file: {}", missing_path(options.hosts_file)),
                  "give a file with one target per line");
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
                "give one as [USER@]HOST[:PORT][/CONTAINER], or a file of targets with --hosts");
  }
  return targets;
}

TargetPoolOptions pool_options_of(const TargetOptions& options) {
  return {options.jobs, options.most_failures, options.canaries};
}

namespace {

// A password of sudo would only be given away.
bool is_root_there(const Target& target, const SshOptions& wishes) {
  if (!target.user.empty() || target.is_local()) return target.user == "root";
  try {
    return ssh_user(target, wishes) == "root";
  } catch (const Error&) {
    throw_if_interrupted();  // the connection reports other errors
    return false;
  }
}

}  // namespace

SshOptions ssh_options_of(const TargetOptions& options, const Session& session) {
  // OpenSSH takes a key that only the agent has by its public half.
  std::error_code failure;
  if (const std::string& key = options.identity;
      !key.empty() && !fs::exists(key, failure) && !fs::exists(concat(key, ".pub"), failure))
    throw Error(ErrorCode::usage, format("no such file: {}", missing_path(key)),
                "give the private key to log in with");
  SshOptions wishes;
  wishes.environment = session.host.environment;
  wishes.config = options.ssh_config;
  wishes.identity = options.identity;
  wishes.jump = options.jump;
  wishes.connect_timeout_s = options.connect_timeout_s;
  wishes.on_slow_login = [events = session.events](const std::string& text) { events->note(text); };
  if (options.accept_new) wishes.unknown_keys = UnknownKeys::accept;
  return wishes;
}

std::unique_ptr<Remote> remote_of(const Target& target, const TargetOptions& options,
                                  const Session& session, Secrets& secrets) {
  if (target.is_local()) return local_remote(session.host.environment);
  return ssh_remote(target, ssh_options_of(options, session), secrets);
}

std::vector<std::string> ssh_warnings(const TargetOptions& options, const Session& session) {
  std::vector<std::string> warnings;
  for (const Target& target : targets_of(options)) {
    if (target.is_local()) continue;
    try {
      for (std::string& each : unsupported_ssh_settings(target, ssh_options_of(options, session))) {
        if (std::find(warnings.begin(), warnings.end(), each) == warnings.end())
          warnings.push_back(std::move(each));
      }
    } catch (const Error&) {
      throw_if_interrupted();  // the connection reports other errors
    }
  }
  return warnings;
}

std::vector<Secret> sudo_passwords(const std::vector<Target>& targets, const SudoOptions& options,
                                   const SshOptions& wishes, Secrets& secrets) {
  std::vector<Secret> passwords;
  for (const Target& target : targets) {
    Secret& password = passwords.emplace_back();
    if ((!options.ask && !options.ask_once) || is_root_there(target, wishes)) continue;
    const auto typed =
        secrets.answer({options.ask_once ? format("sudo password for all targets:")
                                         : format("sudo password for {}:", target.text())});
    if (!typed) {
      throw Error(ErrorCode::usage, "no terminal to ask for the sudo password",
                  "run topsctl at a terminal, or allow sudo without a password");
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
