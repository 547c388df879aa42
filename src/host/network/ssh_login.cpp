// Logs in: keys and agent first, then what the person at the terminal types.
#include "host/network/ssh_login.hpp"

#include <algorithm>
#include <cstring>

#include "host/network/ssh_trust.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr int most_tries = 3;

std::string login_of(const SshPeer& peer) {
  return concat(peer.user, "@", peer.name);
}

std::string password_question(const SshPeer& peer) {
  return format("Password of {}:", login_of(peer));
}

std::string methods_text(int methods) {
  std::vector<std::string> names;
  if ((methods & SSH_AUTH_METHOD_PUBLICKEY) != 0) names.emplace_back("keys");
  if ((methods & SSH_AUTH_METHOD_PASSWORD) != 0) names.emplace_back("passwords");
  if ((methods & SSH_AUTH_METHOD_INTERACTIVE) != 0) names.emplace_back("questions");
  return names.empty() ? "nothing that topsctl knows" : joined(names, " and ");
}

// Asked by libssh for the passphrase of a key file.
int passphrase(const char* prompt, char* buffer, std::size_t size, int /*echo*/, int /*verify*/,
               void* secrets) {
  try {
    const auto typed = static_cast<Secrets*>(secrets)->answer(
        prompt == nullptr ? format("Passphrase of the key:") : concat(trimmed(prompt), ":"));
    if (!typed || typed->view().size() >= size) return -1;
    std::memcpy(buffer, typed->c_str(), typed->view().size() + 1);
    return 0;
  } catch (const Error&) {
    return -1;  // libssh is C: the interrupt is seen again soon after
  }
}

int with_password(ssh_session session, const SshPeer& peer, Secrets& secrets) {
  std::optional<Secret> refused;
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto password = secrets.answer(password_question(peer), refused);
    if (!password) return SSH_AUTH_DENIED;
    const int result = ssh_userauth_password(session, nullptr, password->c_str());
    if (result != SSH_AUTH_DENIED) return result;
    refused = password;
  }
  return SSH_AUTH_DENIED;
}

// One round of questions; a single hidden one is taken for the password, which is asked for once.
bool answer_round(ssh_session session, const SshPeer& peer, Secrets& secrets,
                  std::optional<Secret>& refused) {
  const int count = ssh_userauth_kbdint_getnprompts(session);
  for (int i = 0; i < count; ++i) {
    char echo = 0;
    const char* prompt = ssh_userauth_kbdint_getprompt(session, static_cast<unsigned>(i), &echo);
    const std::string question =
        concat(login_of(peer), ": ", trimmed(printable(prompt == nullptr ? "" : prompt)));
    std::optional<Secret> typed;
    if (count == 1 && echo == 0) {
      typed = secrets.answer(password_question(peer), refused);
      refused = typed;
    } else {
      typed = secrets.ask(question, echo == 0 ? Echo::off : Echo::on);
    }
    if (!typed) return false;
    if (ssh_userauth_kbdint_setanswer(session, static_cast<unsigned>(i), typed->c_str()) < 0)
      return false;
  }
  return true;
}

int with_questions(ssh_session session, const SshPeer& peer, Secrets& secrets) {
  std::optional<Secret> refused;
  for (int tries = 0; tries < most_tries; ++tries) {
    int result = ssh_userauth_kbdint(session, nullptr, nullptr);
    while (result == SSH_AUTH_INFO) {
      if (!answer_round(session, peer, secrets, refused)) return SSH_AUTH_DENIED;
      result = ssh_userauth_kbdint(session, nullptr, nullptr);
    }
    if (result != SSH_AUTH_DENIED) return result;
  }
  return SSH_AUTH_DENIED;
}

int try_method(ssh_session session, const SshPeer& peer, Secrets& secrets, int method) {
  switch (method) {
    case SSH_AUTH_METHOD_PUBLICKEY:
      return ssh_userauth_publickey_auto(session, nullptr, nullptr);
    case SSH_AUTH_METHOD_INTERACTIVE:
      return with_questions(session, peer, secrets);
    default:
      return with_password(session, peer, secrets);
  }
}

// Of those that the server takes; 0: none is left.
int next_method(ssh_session session, int tried) {
  const int offered = ssh_userauth_list(session, nullptr) & ~tried;
  for (const int method :
       {SSH_AUTH_METHOD_PUBLICKEY, SSH_AUTH_METHOD_PASSWORD, SSH_AUTH_METHOD_INTERACTIVE}) {
    if ((offered & method) != 0) return method;
  }
  return 0;
}

[[noreturn]] void refuse_log_in(ssh_session session, const SshPeer& peer) {
  throw Error(ErrorCode::unreachable,
              format("cannot log in as {}: the host takes {}, and none of them did",
                     in_quotes(login_of(peer)), methods_text(ssh_userauth_list(session, nullptr))),
              format("put a key there with `ssh-copy-id {}`, name one with --identity, or run "
                     "topsctl at a terminal, where it can ask for the password",
                     login_of(peer)));
}

}  // namespace

void log_in(ssh_session session, const SshPeer& peer, Secrets& secrets,
            ssh_callbacks_struct& callbacks, std::atomic<int>& method) {
  callbacks.userdata = &secrets;
  callbacks.auth_function = passphrase;
  ssh_callbacks_init(&callbacks);
  ssh_set_callbacks(session, &callbacks);
  const int known = method;
  int result = known != 0 ? try_method(session, peer, secrets, known) : SSH_AUTH_DENIED;
  if (result != SSH_AUTH_SUCCESS && result != SSH_AUTH_ERROR)
    result = ssh_userauth_none(session, nullptr);
  int tried = 0;
  // A method that is only one of several that the server wants is followed by the others.
  while (result != SSH_AUTH_SUCCESS && result != SSH_AUTH_ERROR) {
    const int next = next_method(session, tried);
    if (next == 0) {
      // A connection that is lost here looks to libssh like one that takes nothing.
      const bool is_lost =
          ssh_is_connected(session) == 0 || ssh_userauth_list(session, nullptr) == 0;
      if (is_lost) refuse_connection(session, peer, "log in to");
      refuse_log_in(session, peer);
    }
    result = try_method(session, peer, secrets, next);
    if (result == SSH_AUTH_SUCCESS && tried == 0) method = next;
    tried |= next;
  }
  if (result == SSH_AUTH_ERROR) refuse_connection(session, peer, "log in to");
}

}  // namespace topsctl
