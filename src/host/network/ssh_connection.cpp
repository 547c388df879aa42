// Connects, as ssh_config and the operator say.
#include "host/network/ssh_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "host/network/control_master.hpp"
#include "host/network/ssh_config.hpp"
#include "host/network/ssh_config_lines.hpp"
#include "host/network/ssh_login.hpp"
#include "host/network/ssh_settings.hpp"
#include "host/network/ssh_socket.hpp"
#include "host/network/ssh_stream.hpp"
#include "host/network/ssh_trust.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/network/connection.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr int most_hops = 8;
constexpr std::chrono::seconds longest_login(130);  // sshd itself waits 120 s

void set(ssh_session session, ssh_options_e option, const std::string& value) {
  if (ssh_options_set(session, option, value.c_str()) != SSH_OK)
    throw Error(ErrorCode::usage, printable(ssh_get_error(session)));
}

void set(ssh_session session, ssh_options_e option, long value) {
  ssh_options_set(session, option, &value);
}

// AES-GCM is fastest with processor support, and is not affected by Terrapin (CVE-2023-48795).
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
  std::string usual;  // libssh's default, which it does not expose
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

// libssh accepts only complete lists.
void set_algorithms(ssh_session session, const SshConfig& config) {
  for (const AlgorithmKind& kind : algorithm_kinds()) {
    const std::string said = config.value(kind.keyword);
    const bool is_ours = said.empty() && kind.options.front() == SSH_OPTIONS_CIPHERS_C_S;
    if (said.empty() && !is_ours) continue;
    const std::string list = is_ours               ? kind.usual
                             : changes_usual(said) ? changed_list(kind.usual, said)
                                                   : said;
    for (const ssh_options_e option : kind.options) {
      if (ssh_options_set(session, option, list.c_str()) == SSH_OK) continue;
      throw Error(ErrorCode::usage,
                  format("{} leaves no algorithm that topsctl supports",
                         in_quotes(concat(kind.keyword, " ", said))),
                  "change this line of ssh_config, or name another file with --ssh-config");
    }
  }
}

// Detects a dead link, for which TCP alone would wait a quarter of an hour.
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

}  // namespace

// The state during connecting, and the number of hosts passed.
struct SshConnection::Steps {
  const Remote::Reached& on_reached;
  std::atomic<int>& log_in_method;
  Asking asking;
  int hops = 0;
  std::string on_way_to = {};
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

void SshConnection::configure(const Target& target, const SshOptions& wishes,
                              const SshConfig& config) {
  const int no = 0;
  const int yes = 1;
  ssh_options_set(session_, SSH_OPTIONS_PROCESS_CONFIG, &no);
  // Otherwise libssh itself accepts every key, even changed ones, if a file has "no".
  ssh_options_set(session_, SSH_OPTIONS_STRICTHOSTKEYCHECK, &yes);
  set(session_, SSH_OPTIONS_SSH_DIR, (config.home / ".ssh").string());
  set(session_, SSH_OPTIONS_USER, config.user);
  set(session_, SSH_OPTIONS_COMPRESSION, "no");
  peer_.name = target.host;
  peer_.host = config.host;
  peer_.user = config.user;
  peer_.port = config.port;
  peer_.ssh_command = joined(ssh_words(target, wishes), " ");
  // It connects to our sockets, and identifies the host only by its name in known_hosts.
  constexpr unsigned usual_port = 22;
  const std::string alias = config.value("hostkeyalias");
  const unsigned known_port = alias.empty() ? config.port : usual_port;
  const std::string known_host = alias.empty() ? config.host : alias;
  set(session_, SSH_OPTIONS_HOST, known_host);
  ssh_options_set(session_, SSH_OPTIONS_PORT, &known_port);
  peer_.known_as =
      known_port == usual_port ? known_host : concat("[", known_host, "]:", known_port);
  set_algorithms(session_, config);
}

int SshConnection::open_way(const SshConfig& config, const SshOptions& wishes, Secrets& secrets,
                            const Steps& steps, int timeout_s) {
  const std::string jump = config.expanded_text(config.value("proxyjump"));
  if (!jump.empty() && lower_case(jump) != "none") {
    if (steps.hops == most_hops) {
      throw Error(
          ErrorCode::unreachable,
          format("cannot connect to {}: more than {} jump hosts", in_quotes(peer_.name), most_hops),
          "check whether ProxyJump forms a loop");
    }
    SshOptions way = wishes;
    const Target hop = last_hop(jump, way.jump);
    // The given key is for the target, not for the jump hosts.
    way.identity.clear();
    const Remote::Reached nobody;
    std::atomic<int> hop_method = 0;
    tunnel_ = std::make_unique<SshTunnel>(
        std::unique_ptr<SshConnection>(
            new SshConnection(hop, way, secrets,
                              Steps{nobody, hop_method, steps.asking, steps.hops + 1, peer_.name})),
        peer_.host, peer_.port, timeout_s);
    return tunnel_->take_socket();
  }
  const std::string command = config.value("proxycommand");
  if (!command.empty() && lower_case(command) != "none") {
    std::string expanded = config.expanded_text(command);
    // libssh expands it too.
    for (std::size_t at = 0; (at = expanded.find('%', at)) != std::string::npos; at += 2)
      expanded.insert(at, "%");
    set(session_, SSH_OPTIONS_PROXYCOMMAND, expanded);
    return -1;
  }
  const std::string attempts = config.value("connectionattempts");
  constexpr std::size_t most_digits = 3;
  SocketWishes socket{config.value("addressfamily"), config.value("bindaddress"), timeout_s, 1};
  if (is_digits(attempts) && attempts.size() <= most_digits)
    socket.attempts = std::max(1, std::stoi(attempts));
  try {
    return connect_socket(peer_.host, peer_.port, socket);
  } catch (const ConnectionLost& error) {
    refuse_connection(peer_, "connect to", error.message());
  }
}

void SshConnection::connect(const Target& target, const SshOptions& wishes, Secrets& secrets,
                            const Steps& steps) {
  throw_if_interrupted();
  const SshConfig config = ssh_config_for(target, wishes);
  configure(target, wishes, config);
  peer_.on_way_to = steps.on_way_to;
  const KnownHosts known = known_hosts_of(config);
  prefer_known_keys(session_, known);
  const int timeout_s = connect_timeout_of(config, wishes);
  set(session_, SSH_OPTIONS_TIMEOUT, timeout_s + 1);  // of a ProxyCommand; sockets end before
  const int socket = open_way(config, wishes, secrets, steps, timeout_s);
  if (socket >= 0) {
    const socket_t given = socket;
    ssh_options_set(session_, SSH_OPTIONS_FD, &given);
  }
  {
    const SocketDeadline deadline(socket, std::chrono::seconds(timeout_s));
    if (ssh_connect(session_) != SSH_OK) {
      if (deadline.is_over()) {
        refuse_connection(peer_, "connect to",
                          format("no SSH server answered within {} s", timeout_s));
      }
      refuse_connection(session_, peer_, "connect to");
    }
  }
  const bool is_direct = socket >= 0 && !tunnel_;
  if (is_direct) limit_silence(socket);
  require_trusted(session_, peer_, known, unknown_keys_of(config, wishes), secrets);
  if (steps.on_reached) {
    // Through other hosts the round trip is known only when a channel has been opened.
    steps.on_reached(is_direct ? round_trip_of(socket) : std::chrono::microseconds(0));
  }
  // From here on the timeout would end longer reads, like the end of the stream.
  set(session_, SSH_OPTIONS_TIMEOUT, 0L);
  SlowNotice notice{std::chrono::seconds(timeout_s), {}};
  if (wishes.on_slow_login)
    notice.act = [&] {
      if (!secrets.is_asking())
        wishes.on_slow_login(format("{}: still logging in after {} s", label_of(peer_), timeout_s));
    };
  const SocketDeadline deadline(ssh_get_fd(session_), longest_login, std::move(notice));
  try {
    const AuthWishes auth = auth_wishes(config, wishes.identity);
    log_in({session_, peer_, secrets, auth, steps.asking}, steps.log_in_method);
  } catch (const ConnectionLost&) {
    throw_if_interrupted();
    if (!deadline.is_over()) throw;
    throw ConnectionLost(
        format("cannot log in to {}: the server is reached, but the login did not end within {} s",
               label_of(peer_), longest_login.count()),
        "look for what is slow on the host: UseDNS without a name server, PAM, a directory of "
        "users");
  }
}

namespace {

// A connection, and another one for each program that the server refuses on the previous ones.
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
    if (auto session = session_of_master(target_, wishes_)) return session;
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
