// Logs in: keys and agent first, then answers from the terminal.
#include "host/network/ssh_login.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "host/network/ssh_config.hpp"
#include "host/network/ssh_trust.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

struct Method {
  int number;
  const char* name;     // in PreferredAuthentications
  const char* keyword;  // that switches it off
};
constexpr std::array<Method, 3> known_methods = {
    {{SSH_AUTH_METHOD_PUBLICKEY, "publickey", "pubkeyauthentication"},
     {SSH_AUTH_METHOD_PASSWORD, "password", "passwordauthentication"},
     {SSH_AUTH_METHOD_INTERACTIVE, "keyboard-interactive", "kbdinteractiveauthentication"}}};

// State of a login in progress.
struct LogInState {
  const LogIn& login;
  bool was_accepted_in_part = false;  // one of several required methods
  std::string unanswered;             // the question for whose answer there was no terminal
};

std::string login_of(const SshPeer& peer) {
  constexpr unsigned usual_port = 22;
  return concat(peer.user, "@", peer.name,
                peer.port == usual_port ? std::string() : concat(":", peer.port));
}

std::string password_question(const SshPeer& peer) {
  return format("Password for {}:", login_of(peer));
}

std::string methods_text(int methods) {
  std::vector<std::string> names;
  for (const Method& method : known_methods) {
    if ((methods & method.number) != 0) names.emplace_back(method.name);
  }
  return names.empty() ? "no known method" : joined(names, ", ");
}

// Called by libssh for the passphrase of a key file.
int passphrase(const char* prompt, char* buffer, std::size_t size, int /*echo*/, int /*verify*/,
               void* login) {
  const LogIn& asker = *static_cast<const LogIn*>(login);
  if (!asker.wishes.may_ask) return -1;
  try {
    Secrets::Question question;
    question.text = prompt == nullptr ? format("Key passphrase:") : concat(trimmed(prompt), ":");
    question.asking = asker.asking;
    const auto typed = asker.secrets.answer(question);
    if (!typed || typed->view().size() >= size) return -1;
    std::memcpy(buffer, typed->c_str(), typed->view().size() + 1);
    return 0;
  } catch (const Error&) {
    return -1;  // libssh is C: the interrupt is seen again soon after
  }
}

int with_password(LogInState& state) {
  const LogIn& login = state.login;
  std::optional<Secret> refused;
  for (int tries = 0; tries < login.wishes.most_tries; ++tries) {
    const auto password =
        login.secrets.answer({password_question(login.peer), Echo::off, login.asking}, refused);
    if (!password) {
      state.unanswered = password_question(login.peer);
      return SSH_AUTH_DENIED;
    }
    const int result = ssh_userauth_password(login.session, nullptr, password->c_str());
    if (result != SSH_AUTH_DENIED) return result;
    refused = password;
  }
  return SSH_AUTH_DENIED;
}

// A server's message, with the server's name on each line, so that it cannot look like our own
// question.
std::string said_by(const SshPeer& peer, const char* text) {
  constexpr std::size_t most_bytes = 4096;
  std::string said = text == nullptr ? "" : text;
  std::erase(said, '\r');
  said = printable(shortened(trimmed(said), most_bytes), Lines::keep);
  std::vector<std::string> lines = split(said, '\n');
  for (std::string& line : lines) line = trimmed(concat(login_of(peer), ": ", line));
  return joined(lines, "\n");
}

// One login by questions. A server may ask in several rounds, and the same question twice.
class QuestionedLogIn {
 public:
  explicit QuestionedLogIn(LogInState& state)
      : state_(state),
        login_(state.login),
        reuse_(login_.secrets.reuse_of(login_of(login_.peer))),
        turn_(reuse_.turn) {
    if (reuse_.state == State::works) turn_.unlock();
  }

  int run() {
    const int tries = login_.asking == Asking::allowed ? login_.wishes.most_tries : 1;
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

  // Name and instruction come before the first question.
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
      if (!typed) state_.unanswered = said_by(login_.peer, prompt);
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
    // A one-time answer is not used twice.
    if (turn_ && reuse_.state == State::spent && !refused) refused = known;
    if (!known || known == refused) question.text.insert(0, std::exchange(untold, ""));
    const auto typed = login_.secrets.answer(question, refused);
    if (typed) given_[question.key] = *typed;
    return typed;
  }

  LogInState& state_;
  const LogIn& login_;
  AnswerReuse& reuse_;
  std::unique_lock<std::mutex> turn_;  // held until it is known whether answers can be reused
  Answers given_;
  Answers refused_;
  bool is_unanswered_ = false;  // no further answer was available
};

int try_method(LogInState& state, int method) {
  const LogIn& login = state.login;
  switch (method) {
    case SSH_AUTH_METHOD_PUBLICKEY:
      return log_in_with_keys(login.session, login.wishes.keys, passphrase,
                              const_cast<LogIn*>(&login));
    case SSH_AUTH_METHOD_INTERACTIVE:
      return QuestionedLogIn(state).run();
    default:
      return with_password(state);
  }
}

// The next method that the server accepts; 0: none left.
int next_method(const LogIn& login, int tried) {
  const int offered = ssh_userauth_list(login.session, nullptr) & ~tried;
  for (const int method : login.wishes.methods) {
    if ((offered & method) != 0) return method;
  }
  return 0;
}

[[noreturn]] void refuse_log_in(const LogInState& state) {
  const LogIn& login = state.login;
  if (login.asking == Asking::never) {
    throw AnswersSpent(format("cannot log in to {} without another prompt", label_of(login.peer)),
                       "the connections that are logged in continue without this one");
  }
  if (state.was_accepted_in_part) {
    const std::string methods = methods_text(ssh_userauth_list(login.session, nullptr));
    throw Error(ErrorCode::unreachable,
                state.unanswered.empty()
                    ? format("cannot log in to {}: the server wants a second factor ({})",
                             label_of(login.peer), methods)
                    : format("cannot log in to {}: the server wants a second factor, and there is "
                             "no terminal to answer {}",
                             label_of(login.peer), in_quotes(state.unanswered)),
                "run topsctl in a terminal, or open a connection with ControlMaster first and let "
                "topsctl use it");
  }
  throw Error(ErrorCode::unreachable,
              format("cannot log in to {}: authentication failed ({})", label_of(login.peer),
                     methods_text(ssh_userauth_list(login.session, nullptr))),
              format("install a key with `ssh-copy-id {}`, name one with --identity, or run "
                     "topsctl in a terminal to enter the password",
                     login_of(login.peer)));
}

}  // namespace

AuthWishes auth_wishes(const SshConfig& config, const std::string& identity) {
  AuthWishes wishes;
  KeyWishes& keys = wishes.keys;
  if (!identity.empty()) keys.files.push_back(identity);
  if (config.values.contains("identityfile")) {
    for (const std::string& file : config.expanded("identityfile")) keys.files.push_back(file);
  } else if (identity.empty()) {
    for (const char* name : {"id_rsa", "id_ecdsa", "id_ed25519"})
      keys.files.push_back((config.home / ".ssh" / name).string());
  }
  keys.certificates = config.expanded("certificatefile");
  if (config.is_yes("identitiesonly", false)) keys.others = OtherKeys::none;
  std::string agent = config.value("identityagent");
  if (agent.empty()) agent = "SSH_AUTH_SOCK";
  if (agent == "SSH_AUTH_SOCK") agent = "$SSH_AUTH_SOCK";
  if (agent.starts_with('$') && !agent.starts_with("${")) {
    const auto found = config.environment.find(agent.substr(1));
    keys.agent = found == config.environment.end() ? "" : found->second;
  } else if (const auto paths = config.expanded("identityagent"); !paths.empty()) {
    keys.agent = paths.front();
  }
  std::vector<std::string> names = split(lower_case(config.value("preferredauthentications")), ',');
  if (config.value("preferredauthentications").empty()) names.clear();
  wishes.may_ask = !config.is_yes("batchmode", false);
  for (const Method& method : known_methods) {
    if (names.empty() || std::find(names.begin(), names.end(), method.name) != names.end())
      wishes.methods.push_back(method.number);
    if (!config.is_yes(method.keyword, true)) std::erase(wishes.methods, method.number);
  }
  if (!wishes.may_ask) {
    std::erase_if(wishes.methods, [](int each) { return each != SSH_AUTH_METHOD_PUBLICKEY; });
  }
  const auto rank = [&](int number) {
    const auto at = std::find_if(known_methods.begin(), known_methods.end(),
                                 [&](const Method& each) { return each.number == number; });
    return std::find(names.begin(), names.end(), at->name) - names.begin();
  };
  std::stable_sort(wishes.methods.begin(), wishes.methods.end(),
                   [&](int a, int b) { return rank(a) < rank(b); });
  const std::string tries = config.value("numberofpasswordprompts");
  constexpr std::size_t most_digits = 3;
  if (is_digits(tries) && tries.size() <= most_digits) wishes.most_tries = std::stoi(tries);
  return wishes;
}

void log_in(LogIn login, std::atomic<int>& method) {
  const ssh_session session = login.session;
  LogInState state{login, false, {}};
  const int known = method;
  int result = known != 0 ? try_method(state, known) : SSH_AUTH_DENIED;
  if (result != SSH_AUTH_SUCCESS && result != SSH_AUTH_ERROR)
    result = ssh_userauth_none(session, nullptr);
  int tried = 0;
  // If a method is only one of several that the server requires, the others follow.
  while (result != SSH_AUTH_SUCCESS && result != SSH_AUTH_ERROR) {
    throw_if_interrupted();
    const int next = next_method(login, tried);
    if (next == 0) {
      // libssh does not distinguish a connection lost here from a rejection.
      const bool is_lost =
          ssh_is_connected(session) == 0 || ssh_userauth_list(session, nullptr) == 0;
      if (is_lost) refuse_connection(session, login.peer, "log in to");
      refuse_log_in(state);
    }
    result = try_method(state, next);
    if (result == SSH_AUTH_SUCCESS && tried == 0) method = next;
    if (result == SSH_AUTH_PARTIAL) state.was_accepted_in_part = true;
    tried |= next;
  }
  if (result == SSH_AUTH_ERROR) refuse_connection(session, login.peer, "log in to");
}

}  // namespace topsctl
