// Checks a server's key against the known hosts.
#include "host/network/ssh_trust.hpp"

#include <memory>
#include <mutex>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace {

struct KeyRelease {
  void operator()(ssh_key key) const { ssh_key_free(key); }
};
using Key = std::unique_ptr<ssh_key_struct, KeyRelease>;

struct ServerKey {
  std::string type;
  std::string base64;
  std::string fingerprint;  // "SHA256:..."
};

ServerKey key_of(ssh_session session, const SshPeer& peer) {
  ssh_key raw = nullptr;
  if (ssh_get_server_publickey(session, &raw) != SSH_OK)
    refuse_connection(session, peer, "get the host key of");
  const Key key(raw);
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
      format("the host key of {} {}: {} {}", in_quotes(peer.name), why, key.type, key.fingerprint),
      hint);
}

std::string place_of(const SshPeer& peer) {
  constexpr unsigned usual_port = 22;
  return peer.port == usual_port ? peer.host : concat("[", peer.host, "]:", peer.port);
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
                           in_quotes(peer.name), place_of(peer), key.type, key.fingerprint),
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

std::string ssh_option(ssh_session session, ssh_options_e which) {
  char* value = nullptr;
  if (ssh_options_get(session, which, &value) != SSH_OK) return {};
  std::string text = value == nullptr ? "" : value;
  ssh_string_free_char(value);
  return text;
}

void refuse_connection(ssh_session session, const SshPeer& peer, const std::string& act) {
  const std::string reason = printable(ssh_get_error(session));
  throw ConnectionLost(format("cannot {} {}: {}", act, in_quotes(peer.name),
                              reason.empty() ? "the connection was lost" : reason),
                       format("run `ssh{} {}{}` to check that the host is reachable",
                              peer.port == 22 ? "" : concat(" -p ", peer.port),
                              peer.user.empty() ? "" : concat(peer.user, "@"), peer.host));
}

bool is_revoked(const std::string& known_hosts, const std::string& host, unsigned port,
                const std::string& key) {
  constexpr unsigned usual_port = 22;
  const std::string place = port == usual_port ? host : concat("[", host, "]:", port);
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

void require_trusted(ssh_session session, const SshPeer& peer,
                     const std::vector<std::string>& files, UnknownKeys unknown, Secrets& secrets) {
  const std::lock_guard<std::mutex> turn(one_at_a_time());
  const ServerKey key = key_of(session, peer);
  std::vector<std::string> own = files;
  if (own.empty()) own.push_back(ssh_option(session, SSH_OPTIONS_KNOWNHOSTS));
  std::vector<std::string> all = own;
  all.push_back(ssh_option(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS));
  for (const std::string& file : all) {
    const auto text = file.empty() ? std::nullopt : read_text_if_present(file);
    if (text && is_revoked(*text, peer.host, peer.port, key.base64)) {
      refuse_key(peer, key, format("is revoked in {}", file),
                 "do not log in to this host: ask who revoked its key");
    }
  }
  // libssh looks into one file of the user's at a time.
  std::string changed_in;
  for (auto file = own.rbegin(); file != own.rend(); ++file) {
    ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, file->c_str());
    switch (ssh_session_is_known_server(session)) {
      case SSH_KNOWN_HOSTS_OK:
        return;
      case SSH_KNOWN_HOSTS_UNKNOWN:
      case SSH_KNOWN_HOSTS_NOT_FOUND:
        break;
      case SSH_KNOWN_HOSTS_CHANGED:
      case SSH_KNOWN_HOSTS_OTHER:
        changed_in = *file;
        break;
      case SSH_KNOWN_HOSTS_ERROR:
        refuse_connection(session, peer, "look up the host key of");
    }
  }
  if (!changed_in.empty()) {
    refuse_key(peer, key, format("differs from the one in {}", changed_in),
               format("possible man-in-the-middle attack. If the host was reinstalled: `ssh-keygen "
                      "-f {} -R '{}'`, then compare the new fingerprint",
                      changed_in, place_of(peer)));
  }
  accept_unknown(session, peer, key, unknown, secrets);
}

}  // namespace topsctl
