// Connects, as ssh_config and the operator say.
#include "host/network/ssh_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <functional>
#include <utility>
#include <vector>

#include "host/network/ssh_config.hpp"
#include "host/network/ssh_login.hpp"
#include "host/network/ssh_stream.hpp"
#include "host/network/ssh_trust.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/connection.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr int most_hops = 8;

void set(ssh_session session, ssh_options_e option, const std::string& value) {
  if (ssh_options_set(session, option, value.c_str()) != SSH_OK)
    throw Error(ErrorCode::usage, printable(ssh_get_error(session)));
}

void set(ssh_session session, ssh_options_e option, long value) {
  ssh_options_set(session, option, &value);
}

// AES-GCM costs least where the processor helps, and is safe against Terrapin (CVE-2023-48795).
std::string usual_ciphers() {
  const std::string aes = "aes128-gcm@openssh.com,aes256-gcm@openssh.com";
  const std::string chacha = "chacha20-poly1305@openssh.com";
  return concat(
      __builtin_cpu_supports("aes") != 0 ? concat(aes, ",", chacha) : concat(chacha, ",", aes),
      ",aes256-ctr,aes128-ctr");
}

struct AlgorithmKind {
  const char* keyword;  // of ssh_config(5)
  std::vector<ssh_options_e> options;
  std::string usual;  // that of libssh, which it tells nobody
};

std::vector<AlgorithmKind> algorithm_kinds() {
  const std::string keys =
      "ssh-ed25519,ecdsa-sha2-nistp521,ecdsa-sha2-nistp384,ecdsa-sha2-nistp256,"
      "sk-ssh-ed25519@openssh.com,sk-ecdsa-sha2-nistp256@openssh.com,rsa-sha2-512,rsa-sha2-256";
  return {{"kexalgorithms",
           {SSH_OPTIONS_KEY_EXCHANGE},
           "curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
           "ecdh-sha2-nistp521,diffie-hellman-group18-sha512,diffie-hellman-group16-sha512,"
           "diffie-hellman-group-exchange-sha256,diffie-hellman-group14-sha256"},
          {"ciphers", {SSH_OPTIONS_CIPHERS_C_S, SSH_OPTIONS_CIPHERS_S_C}, usual_ciphers()},
          {"macs",
           {SSH_OPTIONS_HMAC_C_S, SSH_OPTIONS_HMAC_S_C},
           "hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com,hmac-sha2-256,"
           "hmac-sha2-512"},
          {"hostkeyalgorithms", {SSH_OPTIONS_HOSTKEYS}, keys},
          {"pubkeyacceptedalgorithms", {SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES}, keys}};
}

// libssh takes whole lists, and passes over those that change the usual one.
void set_algorithms(ssh_session session, const SshConfig& config) {
  for (const AlgorithmKind& kind : algorithm_kinds()) {
    const auto found = config.algorithms.find(kind.keyword);
    const std::string said = found == config.algorithms.end() ? "" : found->second;
    const bool is_ours = said.empty() && kind.options.front() == SSH_OPTIONS_CIPHERS_C_S;
    if (!is_ours && !changes_usual(said)) continue;
    const std::string list = is_ours ? kind.usual : changed_list(kind.usual, said);
    for (const ssh_options_e option : kind.options) {
      if (ssh_options_set(session, option, list.c_str()) == SSH_OK) continue;
      throw Error(ErrorCode::usage,
                  format("{} leaves no algorithm that topsctl supports",
                         in_quotes(concat(kind.keyword, " ", said))),
                  "change this line of ssh_config, or name another file with --ssh-config");
    }
  }
}

UnknownKeys unknown_keys_of(const SshConfig& config, const SshOptions& wishes) {
  if (wishes.unknown_keys) return *wishes.unknown_keys;
  const std::string checking = config.strict_host_key_checking.value_or("ask");
  if (checking == "yes" || checking == "true") return UnknownKeys::refuse;
  // "no" would also take changed keys; that is never done.
  if (checking == "accept-new" || checking == "no" || checking == "off" || checking == "false")
    return UnknownKeys::accept;
  return UnknownKeys::ask;
}

// A link that is dead is noticed, where TCP alone would wait for a quarter of an hour.
void limit_silence(int socket) {
  const unsigned user_timeout_ms = 15'000;
  const int on = 1;
  const int idle_s = 10;
  const int probes = 3;
  ::setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &user_timeout_ms, sizeof user_timeout_ms);
  ::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &idle_s, sizeof idle_s);
  ::setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

std::vector<std::filesystem::path> config_files(const SshOptions& wishes) {
  if (!wishes.config.empty()) return {wishes.config};
  return {wishes.home / ".ssh" / "config", "/etc/ssh/ssh_config"};
}

}  // namespace

// What goes on while it connects, and how many hosts it has passed.
struct SshConnection::Steps {
  const Remote::Reached& on_reached;
  std::atomic<int>& log_in_method;
  Asking asking;
  int hops = 0;
};

SshConnection::SshConnection(const Target& target, const SshOptions& wishes, Secrets& secrets,
                             Asking asking, const Remote::Reached& on_reached,
                             std::atomic<int>& log_in_method)
    : SshConnection(target, wishes, secrets, Steps{on_reached, log_in_method, asking}) {}

SshConnection::SshConnection(const Target& target, const SshOptions& wishes, Secrets& secrets,
                             const Steps& steps)
    : session_(ssh_new()) {
  if (session_ == nullptr) throw Error(ErrorCode::internal, "libssh is out of memory");
  try {
    connect(target, wishes, secrets, steps);
  } catch (...) {
    ssh_free(session_);
    throw;
  }
}

SshConnection::~SshConnection() {
  ssh_disconnect(session_);
  ssh_free(session_);
}

void SshConnection::configure(const Target& target, const SshOptions& wishes) {
  set(session_, SSH_OPTIONS_SSH_DIR, (wishes.home / ".ssh").string());
  set(session_, SSH_OPTIONS_HOST, target.host);
  if (wishes.config.empty()) {
    for (const auto& file : config_files(wishes)) {
      if (::access(file.c_str(), R_OK) == 0) ssh_options_parse_config(session_, file.c_str());
    }
  } else if (ssh_options_parse_config(session_, wishes.config.c_str()) != SSH_OK) {
    throw Error(ErrorCode::usage, format("cannot read {}", in_quotes(wishes.config)),
                "give a file in ssh_config(5) format with --ssh-config");
  }
  const int no = 0;
  const int yes = 1;
  ssh_options_set(session_, SSH_OPTIONS_PROCESS_CONFIG, &no);
  // Else libssh itself takes every key, changed ones too, where the file says "no".
  ssh_options_set(session_, SSH_OPTIONS_STRICTHOSTKEYCHECK, &yes);
  // What was given counts more than what the file says, so it comes after it.
  if (target.port != 0) ssh_options_set(session_, SSH_OPTIONS_PORT, &target.port);
  if (!target.user.empty()) set(session_, SSH_OPTIONS_USER, target.user);
  if (ssh_option(session_, SSH_OPTIONS_USER).empty() && !wishes.own_user.empty())
    set(session_, SSH_OPTIONS_USER, wishes.own_user);
  // Added keys come to the front.
  if (!wishes.identity.empty()) set(session_, SSH_OPTIONS_ADD_IDENTITY, wishes.identity);
  set(session_, SSH_OPTIONS_COMPRESSION, "no");
  ssh_options_set(session_, SSH_OPTIONS_NODELAY, &yes);
  set(session_, SSH_OPTIONS_TIMEOUT, wishes.connect_timeout_s);
  peer_.name = target.host;
  peer_.host = ssh_option(session_, SSH_OPTIONS_HOST);
  peer_.user = ssh_option(session_, SSH_OPTIONS_USER);
  ssh_options_get_port(session_, &peer_.port);
}

void SshConnection::connect(const Target& target, const SshOptions& wishes, Secrets& secrets,
                            const Steps& steps) {
  throw_if_interrupted();
  configure(target, wishes);
  const SshConfig config = ssh_config_of(config_files(wishes), target.host, wishes.home);
  set_algorithms(session_, config);
  // The one that was given is meant for the target, not for the hosts on the way.
  std::string jump = config.proxy_jump.value_or("none");
  if (!wishes.jump.empty()) jump = wishes.jump;
  if (lower_case(jump) != "none") {
    if (steps.hops == most_hops) {
      throw Error(ErrorCode::unreachable,
                  format("cannot connect to {}: more than {} jump hosts", in_quotes(target.host),
                         most_hops),
                  "check whether ProxyJump forms a loop");
    }
    // libssh would start `ssh -W` for it.
    ssh_options_set(session_, SSH_OPTIONS_PROXYCOMMAND, "none");
    SshOptions way = wishes;
    const auto last = jump.rfind(',');
    way.jump = last == std::string::npos ? "" : jump.substr(0, last);
    way.identity.clear();
    const Target hop = parse_target(last == std::string::npos ? jump : jump.substr(last + 1));
    const Remote::Reached nobody;
    std::atomic<int> hop_method = 0;
    tunnel_ = std::make_unique<SshTunnel>(
        std::unique_ptr<SshConnection>(new SshConnection(
            hop, way, secrets, Steps{nobody, hop_method, steps.asking, steps.hops + 1})),
        peer_.host, peer_.port, wishes.connect_timeout_s);
    const socket_t socket = tunnel_->take_socket();
    ssh_options_set(session_, SSH_OPTIONS_FD, &socket);
  }
  if (ssh_connect(session_) != SSH_OK) refuse_connection(session_, peer_, "connect to");
  if (!tunnel_) limit_silence(ssh_get_fd(session_));
  require_trusted(session_, peer_, config.known_hosts, unknown_keys_of(config, wishes), secrets);
  if (steps.on_reached) {
    // Through other hosts the round trip is known only when a channel has been opened.
    steps.on_reached(tunnel_ ? std::chrono::microseconds(0) : round_trip_of(ssh_get_fd(session_)));
  }
  log_in({session_, peer_, secrets, steps.asking}, callbacks_, steps.log_in_method);
  // From here on it would end reads that wait longer, as if at the end of the stream.
  set(session_, SSH_OPTIONS_TIMEOUT, 0L);
}

namespace {

// A connection, and another one for each program that the server does not take beside those before.
class SshSession : public RemoteSession {
 public:
  using Connect = std::function<std::unique_ptr<SshConnection>()>;
  SshSession(std::unique_ptr<SshConnection> first, Connect connect) : connect_(std::move(connect)) {
    connections_.push_back(std::move(first));
  }

  std::unique_ptr<RemoteStream> start(const std::string& command_line) override {
    return open(ssh_stream, command_line);
  }
  std::unique_ptr<RemoteStream> start_subsystem(const std::string& name) override {
    return open(ssh_subsystem, name);
  }
  std::chrono::microseconds round_trip() const override { return round_trip_; }
  std::string address() const override {
    const SshConnection& first = *connections_.front();
    return first.is_tunneled() ? "" : peer_address(ssh_get_fd(first.session()));
  }

 private:
  std::unique_ptr<RemoteStream> open(decltype(ssh_stream)* channel, const std::string& what) {
    if (std::exchange(is_used_, true)) {
      try {
        return channel(*connections_.back(), what, round_trip_);
      } catch (const ConnectionLost&) {
        // A second one is refused by tinysshd and MaxSessions 1; dropbear closes a new one when the
        // program of an earlier one ends at that moment.
        throw_if_interrupted();
      }
      connections_.push_back(connect_());
    }
    return channel(*connections_.back(), what, round_trip_);
  }

  const Connect connect_;
  std::vector<std::unique_ptr<SshConnection>> connections_;  // all are alive: so are their streams
  bool is_used_ = false;
  std::chrono::microseconds round_trip_{};
};

class SshRemote : public Remote {
 public:
  SshRemote(Target target, SshOptions wishes, Secrets& secrets)
      : target_(std::move(target)), wishes_(std::move(wishes)), secrets_(secrets) {}

  std::unique_ptr<RemoteSession> connect() override {
    return connect_in_steps({}, Asking::allowed);
  }
  std::unique_ptr<RemoteSession> connect_in_steps(const Reached& on_reached,
                                                  Asking asking) override {
    return std::make_unique<SshSession>(connection(on_reached, asking),
                                        [this, asking] { return connection({}, asking); });
  }

 private:
  std::unique_ptr<SshConnection> connection(const Reached& on_reached, Asking asking) {
    return std::make_unique<SshConnection>(target_, wishes_, secrets_, asking, on_reached,
                                           log_in_method_);
  }

  const Target target_;
  const SshOptions wishes_;
  Secrets& secrets_;
  std::atomic<int> log_in_method_ = 0;
};

}  // namespace

std::unique_ptr<Remote> ssh_remote(const Target& target, const SshOptions& wishes,
                                   Secrets& secrets) {
  return std::make_unique<SshRemote>(target, wishes, secrets);
}

}  // namespace topsctl
