// Checks a server's key against the known hosts.
#include "host/network/ssh_trust.hpp"

#include <mutex>

#include "host/network/ssh_keys.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

struct ServerKey {
  std::string type;
  std::string base64;
  std::string fingerprint;  // "SHA256:..."
};

ServerKey key_of(ssh_session session, const SshPeer& peer) {
  ssh_key raw = nullptr;
  if (ssh_get_server_publickey(session, &raw) != SSH_OK)
    refuse_connection(session, peer, "get the host key of");
  const SshKey key(raw);
  ServerKey result;
  result.type = ssh_key_type_to_char(ssh_key_type(key.get()));
  char* base64 = nullptr;
  if (ssh_pki_export_pubkey_base64(key.get(), &base64) == SSH_OK) result.base64 = base64;
  ssh_string_free_char(base64);
  unsigned char* digest = nullptr;
  std::size_t length = 0;
  if (ssh_get_publickey_hash(key.get(), SSH_PUBLICKEY_HASH_SHA256, &digest, &length) == SSH_OK) {
    char* text = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, digest, length);
    result.fingerprint = text;
    ssh_string_free_char(text);
    ssh_clean_pubkey_hash(&digest);
  }
  if (result.base64.empty() || result.fingerprint.empty())
    refuse_connection(session, peer, "read the host key of");
  return result;
}

[[noreturn]] void refuse_key(const SshPeer& peer, const ServerKey& key, const std::string& why,
                             const std::string& hint) {
  throw Error(
      ErrorCode::unreachable,
      format("the host key of {} {}: {} {}", label_of(peer), why, key.type, key.fingerprint), hint);
}

// Several connections to one host at once must not ask, or write the key down, twice.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

void accept_unknown(ssh_session session, const SshPeer& peer, const ServerKey& key,
                    UnknownKeys unknown, Secrets& secrets) {
  const std::string by_hand = format(
      "compare it with the output of `ssh-keygen -l -f /etc/ssh/ssh_host_{}_key.pub` on the host, "
      "then log in once with ssh or add --accept-new",
      lower_case(key.type) == "ssh-ed25519" ? "ed25519" : "*");
  if (unknown == UnknownKeys::refuse) refuse_key(peer, key, "is unknown", by_hand);
  if (unknown == UnknownKeys::ask) {
    const auto answer =
        secrets.ask(format("The host key of {} ({}) is unknown.\n{} {}\nTrust this host key? (yes, "
                           "no, or the fingerprint)",
                           in_quotes(peer.name), peer.known_as, key.type, key.fingerprint),
                    Echo::on);
    if (!answer) refuse_key(peer, key, "is unknown, and there is no terminal to ask on", by_hand);
    const std::string_view word = trimmed(answer->view());
    if (lower_case(word) != "yes" && word != key.fingerprint) {
      refuse_key(peer, key,
                 word.starts_with("SHA256:") ? "does not match the fingerprint entered"
                                             : "was not accepted",
                 by_hand);
    }
  }
  if (ssh_session_update_known_hosts(session) != SSH_OK)
    refuse_connection(session, peer, "save the host key of");
}

}  // namespace

std::string label_of(const SshPeer& peer) {
  constexpr unsigned usual_port = 22;
  const std::string place =
      concat(peer.user, "@",
             peer.host.find(':') == std::string::npos ? peer.host : concat("[", peer.host, "]"),
             ":", peer.port);
  if (!peer.on_way_to.empty()) {
    return format("jump host {} ({}) on the way to {}", in_quotes(peer.name), place,
                  in_quotes(peer.on_way_to));
  }
  const bool is_plain = peer.host == peer.name && peer.port == usual_port;
  return is_plain ? in_quotes(peer.name) : concat(in_quotes(peer.name), " (", place, ")");
}

void refuse_connection(ssh_session session, const SshPeer& peer, const std::string& act) {
  throw_if_interrupted();
  const std::string reason = printable(ssh_get_error(session));
  refuse_connection(peer, act, reason.empty() ? format("the connection was lost") : reason);
}

void refuse_connection(const SshPeer& peer, const std::string& act, const std::string& reason) {
  throw ConnectionLost(format("cannot {} {}: {}", act, label_of(peer), reason),
                       format("run `{}` to check that the host is reachable", peer.ssh_command));
}

bool is_revoked(const std::string& known_hosts, const std::string& place, const std::string& key) {
  for (const std::string& line : split(known_hosts, '\n')) {
    std::string_view rest = trimmed(line);
    constexpr std::string_view marker = "@revoked";
    if (!rest.starts_with(marker) || rest.find(key) == std::string_view::npos) continue;
    rest = trimmed(rest.substr(marker.size()));
    ssh_knownhosts_entry* entry = nullptr;
    if (ssh_known_hosts_parse_line(place.c_str(), std::string(rest).c_str(), &entry) == SSH_OK) {
      ssh_knownhosts_entry_free(entry);
      return true;
    }
  }
  return false;
}

void prefer_known_keys(ssh_session session, const KnownHosts& files) {
  ssh_options_set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null");
  for (const auto* list : {&files.own, &files.global}) {
    for (const std::string& file : *list) {
      ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, file.c_str());
      if (ssh_session_has_known_hosts_entry(session) == SSH_KNOWN_HOSTS_OK) return;
    }
  }
}

void require_trusted(ssh_session session, const SshPeer& peer, const KnownHosts& files,
                     UnknownKeys unknown, Secrets& secrets) {
  const std::lock_guard<std::mutex> turn(one_at_a_time());
  const ServerKey key = key_of(session, peer);
  std::vector<std::string> all = files.global;
  all.insert(all.end(), files.own.rbegin(), files.own.rend());
  for (const std::string& file : all) {
    const auto text = read_text_if_present(file);
    if (text && is_revoked(*text, peer.known_as, key.base64)) {
      refuse_key(peer, key, format("is revoked in {}", file),
                 "do not log in to this host: ask who revoked its key");
    }
  }
  // libssh reads one file at a time; the user's first one comes last, and new keys are written to
  // it.
  std::string changed_in;
  for (const std::string& file : all) {
    ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, file.c_str());
    switch (ssh_session_is_known_server(session)) {
      case SSH_KNOWN_HOSTS_OK:
        return;
      case SSH_KNOWN_HOSTS_UNKNOWN:
      case SSH_KNOWN_HOSTS_NOT_FOUND:
        break;
      case SSH_KNOWN_HOSTS_CHANGED:
      case SSH_KNOWN_HOSTS_OTHER:
        changed_in = file;
        break;
      case SSH_KNOWN_HOSTS_ERROR:
        refuse_connection(session, peer, "look up the host key of");
    }
  }
  if (!changed_in.empty()) {
    refuse_key(peer, key, format("differs from the one in {}", changed_in),
               format("possible man-in-the-middle attack. If the host was reinstalled: `ssh-keygen "
                      "-f {} -R '{}'`, then compare the new fingerprint",
                      changed_in, peer.known_as));
  }
  accept_unknown(session, peer, key, unknown, secrets);
}

}  // namespace topsctl
