// Evaluates ssh_config for a target, as this user on this host.
#include "host/network/ssh_settings.hpp"

#include <netdb.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "host/network/ssh_config_lines.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/process.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

std::string own_variable(const SshOptions& wishes, const char* name) {
  const auto found = wishes.environment.find(name);
  return found == wishes.environment.end() ? "" : found->second;
}

std::optional<std::string> canonical_name_of(const std::string& host) {
  addrinfo hints{};
  hints.ai_flags = AI_CANONNAME;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  std::string name = found->ai_canonname == nullptr ? host : found->ai_canonname;
  ::freeaddrinfo(found);
  if (name.ends_with('.')) name.pop_back();
  return name;
}

std::vector<fs::path> files_of(const SshOptions& wishes, const fs::path& home) {
  if (wishes.config.empty()) return {home / ".ssh" / "config", "/etc/ssh/ssh_config"};
  if (wishes.config == "none") return {};
  if (::access(wishes.config.c_str(), R_OK) != 0) {
    throw Error(ErrorCode::usage, format("cannot read {}", missing_path(wishes.config)),
                "give a file in ssh_config(5) format with --ssh-config");
  }
  return {wishes.config};
}

// Whether the command of `Match exec` succeeds. Each is run once: a host whose user was looked up
// must be the one that is connected to.
bool succeeds(const std::string& command, const SshOptions& wishes) {
  static std::mutex mutex;
  static std::map<std::string, bool> answers;
  {
    const std::scoped_lock lock(mutex);
    if (const auto known = answers.find(command); known != answers.end()) return known->second;
  }
  const std::string shell = own_variable(wishes, "SHELL");
  Command shell_command;
  shell_command.argv = {shell.empty() ? "/bin/sh" : shell, "-c", concat("exec ", command)};
  shell_command.environment = wishes.environment;
  const bool is_right = SystemRunner().run(shell_command).ok();
  const std::scoped_lock lock(mutex);
  return answers.emplace(command, is_right).first->second;
}

SshConfigQuery query_of(const Target& target, const SshOptions& wishes) {
  SshConfigQuery query;
  const passwd* const self = ::getpwuid(::getuid());
  query.home = own_variable(wishes, "HOME");
  if (query.home.empty() && self != nullptr) query.home = self->pw_dir;
  query.local_user = self != nullptr ? self->pw_name : own_variable(wishes, "USER");
  query.files = files_of(wishes, query.home);
  query.host = target.host;
  query.user = target.user;
  query.port = target.port;
  query.jump = wishes.jump;
  query.environment = wishes.environment;
  return query;
}

}  // namespace

std::set<std::string> ssh_host_names(const SshOptions& wishes) {
  Target any;
  any.host = "localhost";
  return ssh_config_of(query_of(any, wishes)).named_hosts;
}

SshConfig ssh_config_for(const Target& target, const SshOptions& wishes) {
  SshConfigQuery query = query_of(target, wishes);
  query.resolve = canonical_name_of;
  query.run = [&](const std::string& command) { return succeeds(command, wishes); };
  return ssh_config_of(query);
}

KnownHosts known_hosts_of(const SshConfig& config) {
  KnownHosts known{config.expanded("userknownhostsfile"), config.expanded("globalknownhostsfile")};
  if (!config.values.contains("userknownhostsfile")) {
    for (const char* name : {"known_hosts", "known_hosts2"})
      known.own.push_back((config.home / ".ssh" / name).string());
  }
  if (known.own.empty()) known.own.emplace_back("/dev/null");
  if (!config.values.contains("globalknownhostsfile"))
    known.global = {"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"};
  for (const auto* files : {&known.own, &known.global}) {
    for (const std::string& file : *files) {
      // libssh would block on a pipe.
      std::error_code failure;
      if (!fs::is_fifo(file, failure) && !fs::is_socket(file, failure)) continue;
      throw Error(ErrorCode::usage, format("{} is no file", in_quotes(file)),
                  "it should have the keys of known hosts");
    }
  }
  return known;
}

UnknownKeys unknown_keys_of(const SshConfig& config, const SshOptions& wishes) {
  if (wishes.unknown_keys) return *wishes.unknown_keys;
  const std::string checking = lower_case(config.value("stricthostkeychecking"));
  if (checking == "yes" || checking == "true") return UnknownKeys::refuse;
  // "no" would also accept changed keys, which topsctl never does.
  if (checking == "accept-new" || checking == "no" || checking == "off" || checking == "false")
    return UnknownKeys::accept;
  return UnknownKeys::ask;
}

int connect_timeout_of(const SshConfig& config, const SshOptions& wishes) {
  constexpr int usual_s = 20;
  if (wishes.connect_timeout_s != 0) return wishes.connect_timeout_s;
  const int said_s = ssh_seconds(config.value("connecttimeout")).value_or(0);
  return said_s == 0 ? usual_s : said_s;
}

Target last_hop(const std::string& jump, std::string& before) {
  const auto comma = jump.rfind(',');
  before = comma == std::string::npos ? "" : jump.substr(0, comma);
  std::string_view last =
      trimmed(comma == std::string::npos ? std::string_view(jump)
                                         : std::string_view(jump).substr(comma + 1));
  constexpr std::string_view scheme = "ssh://";
  if (last.starts_with(scheme)) last.remove_prefix(scheme.size());
  if (last.ends_with('/')) last.remove_suffix(1);
  return parse_target(last);
}

std::vector<std::string> ssh_words(const Target& target, const SshOptions& wishes) {
  std::vector<std::string> words = {"ssh"};
  const auto add = [&](const char* option, const std::string& value) {
    if (value.empty()) return;
    words.emplace_back(option);
    words.push_back(typed_word(value));
  };
  add("-F", wishes.config);
  add("-J", wishes.jump);
  add("-i", wishes.identity);
  add("-p", target.port == 0 ? "" : concat(target.port));
  words.push_back(target.user.empty() ? target.host : concat(target.user, "@", target.host));
  return words;
}

std::string ssh_user(const Target& target, const SshOptions& wishes) {
  return ssh_config_for(target, wishes).user;
}

std::vector<std::string> unsupported_ssh_settings(const Target& target, const SshOptions& wishes) {
  constexpr int most_hops = 8;
  std::vector<std::string> found;
  Target at = target;
  SshOptions way = wishes;
  for (int hop = 0; hop < most_hops; ++hop) {
    const SshConfig config = ssh_config_for(at, way);
    for (const std::string& setting : config.ignored) {
      if (std::find(found.begin(), found.end(), setting) == found.end()) found.push_back(setting);
    }
    const std::string jump = config.expanded_text(config.value("proxyjump"));
    if (jump.empty() || lower_case(jump) == "none") break;
    at = last_hop(jump, way.jump);
  }
  return found;
}

}  // namespace topsctl
