// The interface to the person at the terminal.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "topsctl/host/system/secret.hpp"

namespace topsctl {

enum class Echo { off, on };
// Whether a person may be asked, or only earlier answers count.
enum class Asking { allowed, never };

// Asks one question at a time, for any number of threads.
class Prompter {
 public:
  virtual ~Prompter() = default;
  // The typed line; nothing if there is no terminal. Throws Error{interrupted}.
  virtual std::optional<Secret> ask(const std::string& question, Echo echo) = 0;
  // Shows a message, if there is a terminal.
  virtual void tell(const std::string& /*text*/) {}
};

// Uses /dev/tty. From the first hidden answer on, the memory of this process is hidden too.
class TerminalPrompter : public Prompter {
 public:
  std::optional<Secret> ask(const std::string& question, Echo echo) override;
  void tell(const std::string& text) override;

 private:
  std::mutex mutex_;
};

// Whether the answers of one login are valid for further logins: one-time codes are not. Only one
// connection at a time tests it, to avoid many rejected logins.
struct AnswerReuse {
  enum class State { nobody_is_in, untried, works, spent };
  std::mutex turn;
  State state = State::nobody_is_in;  // `works` is final
};

// Answers to questions, so that each question is asked once. Kept while the object lives.
class Secrets {
 public:
  explicit Secrets(Prompter& prompter) : prompter_(prompter) {}

  struct Question {
    std::string text;
    Echo echo = Echo::off;
    Asking asking = Asking::allowed;
    std::string key = {};  // identifies the question; empty: its text does
  };
  // The earlier answer, or a new one. `refused`: an answer that was rejected; asks again unless
  // another thread already has a new answer.
  std::optional<Secret> answer(const Question& question, const std::optional<Secret>& refused = {});
  // The earlier answer to a question with this key.
  std::optional<Secret> known(const std::string& key);
  // For a user on a host; lives as long as this object.
  AnswerReuse& reuse_of(const std::string& login);
  // Always asks: whether to trust a host key.
  std::optional<Secret> ask(const std::string& question, Echo echo) {
    return prompter_.ask(question, echo);
  }
  void tell(const std::string& text) { prompter_.tell(text); }
  // Whether an answer is awaited now.
  bool is_asking() { return !std::unique_lock<std::mutex>(mutex_, std::try_to_lock).owns_lock(); }

 private:
  Prompter& prompter_;
  std::mutex mutex_;
  std::map<std::string, Secret> answers_;
  std::map<std::string, AnswerReuse> reuse_;
};

}  // namespace topsctl
