// Logs in: keys and agent first, then what the person at the terminal types.
#include "host/network/ssh_login.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "host/network/ssh_trust.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

constexpr int most_tries = 3;

std::string login_of(const SshPeer& peer) {
  return concat(peer.user, "@", peer.name);
}

std::string password_question(const SshPeer& peer) {
  return format("Password for {}:", login_of(peer));
}

std::string methods_text(int methods) {
  std::vector<std::string> names;
  if ((methods & SSH_AUTH_METHOD_PUBLICKEY) != 0) names.emplace_back("publickey");
  if ((methods & SSH_AUTH_METHOD_PASSWORD) != 0) names.emplace_back("password");
  if ((methods & SSH_AUTH_METHOD_INTERACTIVE) != 0) names.emplace_back("keyboard-interactive");
  return names.empty() ? "no known method" : joined(names, ", ");
}

// Asked by libssh for the passphrase of a key file.
int passphrase(const char* prompt, char* buffer, std::size_t size, int /*echo*/, int /*verify*/,
               void* login) {
  if (login == nullptr) return -1;
  const auto& [session, peer, secrets, asking] = *static_cast<const LogIn*>(login);
  try {
    Secrets::Question question;
    question.text = prompt == nullptr ? format("Key passphrase:") : concat(trimmed(prompt), ":");
    question.asking = asking;
    const auto typed = secrets.answer(question);
    if (!typed || typed->view().size() >= size) return -1;
    std::memcpy(buffer, typed->c_str(), typed->view().size() + 1);
    return 0;
  } catch (const Error&) {
    return -1;  // libssh is C: the interrupt is seen again soon after
  }
}

int with_password(const LogIn& login) {
  std::optional<Secret> refused;
  for (int tries = 0; tries < most_tries; ++tries) {
    const auto password =
        login.secrets.answer({password_question(login.peer), Echo::off, login.asking}, refused);
    if (!password) return SSH_AUTH_DENIED;
    const int result = ssh_userauth_password(login.session, nullptr, password->c_str());
    if (result != SSH_AUTH_DENIED) return result;
    refused = password;
  }
  return SSH_AUTH_DENIED;
}

// What a server says, each line with who says it, so that it cannot pass for a question of ours.
std::string said_by(const SshPeer& peer, const char* text) {
  constexpr std::size_t most_bytes = 4096;
  std::string said = text == nullptr ? "" : text;
  std::erase(said, '\r');
  said = printable(shortened(trimmed(said), most_bytes), Lines::keep);
  std::vector<std::string> lines = split(said, '\n');
  for (std::string& line : lines) line = trimmed(concat(login_of(peer), ": ", line));
  return joined(lines, "\n");
}

// One log-in by questions. A server may ask in several rounds, and the same question twice.
class QuestionedLogIn {
 public:
  explicit QuestionedLogIn(const LogIn& login)
      : login_(login), reuse_(login.secrets.reuse_of(login_of(login.peer))), turn_(reuse_.turn) {
    if (reuse_.state == State::works) turn_.unlock();
  }

  int run() {
    const int tries = login_.asking == Asking::allowed ? most_tries : 1;
    if (tries == 1 && turn_ && reuse_.state == State::spent) return SSH_AUTH_DENIED;
    int result = SSH_AUTH_DENIED;
    for (int i = 0; i < tries && result == SSH_AUTH_DENIED && !is_unanswered_; ++i) {
      result = attempt();
      if (!turn_ || result == SSH_AUTH_ERROR) continue;
      const bool is_in = result != SSH_AUTH_DENIED;
      if (reuse_.state == State::untried)
        reuse_.state = is_in && i == 0 ? State::works : State::spent;
      if (is_in && reuse_.state == State::nobody_is_in) reuse_.state = State::untried;
    }
    return result;
  }

 private:
  using State = AnswerReuse::State;
  using Answers = std::map<std::string, Secret>;  // by the key of the question

  int attempt() {
    refused_ = std::exchange(given_, {});
    constexpr int most_rounds = 100;
    int result = ssh_userauth_kbdint(login_.session, nullptr, nullptr);
    for (int round = 0; result == SSH_AUTH_INFO; ++round) {
      throw_if_interrupted();
      is_unanswered_ = round == most_rounds || !answer_round();
      if (is_unanswered_) return SSH_AUTH_DENIED;
      result = ssh_userauth_kbdint(login_.session, nullptr, nullptr);
    }
    return result;
  }

  // Name and instruction come before the first question that is asked.
  bool answer_round() {
    std::string head;
    for (const char* text : {ssh_userauth_kbdint_getname(login_.session),
                             ssh_userauth_kbdint_getinstruction(login_.session)}) {
      if (text != nullptr && !trimmed(text).empty())
        head += concat(said_by(login_.peer, text), "\n");
    }
    const int count = ssh_userauth_kbdint_getnprompts(login_.session);
    if (count == 0 && !head.empty() && login_.asking == Asking::allowed)
      login_.secrets.tell(std::string(trimmed(head)));
    std::string untold = head;
    for (int i = 0; i < count; ++i) {
      char echo = 0;
      const char* prompt =
          ssh_userauth_kbdint_getprompt(login_.session, static_cast<unsigned>(i), &echo);
      Secrets::Question question;
      question.text = said_by(login_.peer, prompt);
      question.echo = echo == 0 ? Echo::off : Echo::on;
      question.asking = login_.asking;
      question.key = concat(head, question.text);
      const auto typed = answer(std::move(question), untold);
      if (!typed || ssh_userauth_kbdint_setanswer(login_.session, static_cast<unsigned>(i),
                                                  typed->c_str()) < 0)
        return false;
    }
    return true;
  }

  std::optional<Secret> answer(Secrets::Question question, std::string& untold) {
    while (given_.contains(question.key)) question.key += "\n";
    const auto known = login_.secrets.known(question.key);
    std::optional<Secret> refused;
    if (const auto found = refused_.find(question.key); found != refused_.end())
      refused = found->second;
    // What counts once is not tried twice.
    if (turn_ && reuse_.state == State::spent && !refused) refused = known;
    if (!known || known == refused) question.text.insert(0, std::exchange(untold, ""));
    const auto typed = login_.secrets.answer(question, refused);
    if (typed) given_[question.key] = *typed;
    return typed;
  }

  const LogIn& login_;
  AnswerReuse& reuse_;
  std::unique_lock<std::mutex> turn_;  // as long as it is not known that answers can be reused
  Answers given_;
  Answers refused_;
  bool is_unanswered_ = false;  // nobody could or would say more
};

int try_method(const LogIn& login, int method) {
  switch (method) {
    case SSH_AUTH_METHOD_PUBLICKEY:
      return ssh_userauth_publickey_auto(login.session, nullptr, nullptr);
    case SSH_AUTH_METHOD_INTERACTIVE:
      return QuestionedLogIn(login).run();
    default:
      return with_password(login);
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

[[noreturn]] void refuse_log_in(const LogIn& login) {
  const auto& [session, peer, secrets, asking] = login;
  if (asking == Asking::never) {
    throw AnswersSpent(
        format("cannot log in as {} without another prompt", in_quotes(login_of(peer))),
        "the connections that are logged in continue without this one");
  }
  throw Error(ErrorCode::unreachable,
              format("cannot log in as {}: authentication failed ({})", in_quotes(login_of(peer)),
                     methods_text(ssh_userauth_list(session, nullptr))),
              format("install a key with `ssh-copy-id {}`, name one with --identity, or run "
                     "topsctl in a terminal to enter the password",
                     login_of(peer)));
}

}  // namespace

void log_in(LogIn login, ssh_callbacks_struct& callbacks, std::atomic<int>& method) {
  const ssh_session session = login.session;
  callbacks.userdata = &login;
  callbacks.auth_function = passphrase;
  ssh_callbacks_init(&callbacks);
  ssh_set_callbacks(session, &callbacks);
  const int known = method;
  int result = known != 0 ? try_method(login, known) : SSH_AUTH_DENIED;
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
      if (is_lost) refuse_connection(session, login.peer, "log in to");
      refuse_log_in(login);
    }
    result = try_method(login, next);
    if (result == SSH_AUTH_SUCCESS && tried == 0) method = next;
    tried |= next;
  }
  if (result == SSH_AUTH_ERROR) refuse_connection(session, login.peer, "log in to");
  callbacks.userdata = nullptr;
}

}  // namespace topsctl
