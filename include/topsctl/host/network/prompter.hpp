// The seam to the person at the terminal.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "topsctl/host/system/secret.hpp"

namespace topsctl {

enum class Echo { off, on };
// Whether a person may be asked, or only what was answered before counts.
enum class Asking { allowed, never };

// Asks one question at a time, whatever number of threads ask.
class Prompter {
 public:
  virtual ~Prompter() = default;
  // The line that was typed; nothing if there is no terminal. Throws Error{interrupted}.
  virtual std::optional<Secret> ask(const std::string& question, Echo echo) = 0;
  // Says what needs no answer, if there is a terminal.
  virtual void tell(const std::string& /*text*/) {}
};

// Asks at /dev/tty. From the first hidden answer on, the memory of this process is hidden too.
class TerminalPrompter : public Prompter {
 public:
  std::optional<Secret> ask(const std::string& question, Echo echo) override;
  void tell(const std::string& text) override;

 private:
  std::mutex mutex_;
};

// Whether the answers to a server's questions that let one connection in let in another, too: a
// one-time code does not. Found out by one connection at a time, so that not many are refused.
struct AnswerReuse {
  enum class State { nobody_is_in, untried, works, spent };
  std::mutex turn;
  State state = State::nobody_is_in;  // once it works, it stays
};

// Secrets that were asked for, so that no question comes twice. They are kept as long as it lives.
class Secrets {
 public:
  explicit Secrets(Prompter& prompter) : prompter_(prompter) {}

  struct Question {
    std::string text;
    Echo echo = Echo::off;
    Asking asking = Asking::allowed;
    std::string key = {};  // what is the same question; empty: one of the same text
  };
  // What was answered to it before, or now. `refused`: an answer that did not do, which is asked
  // for anew unless somebody has been given another one meanwhile.
  std::optional<Secret> answer(const Question& question, const std::optional<Secret>& refused = {});
  // What was answered to a question of this key before.
  std::optional<Secret> known(const std::string& key);
  // Of a user on a host; it lasts as long as this.
  AnswerReuse& reuse_of(const std::string& login);
  // Asked each time: whether a key may be trusted.
  std::optional<Secret> ask(const std::string& question, Echo echo) {
    return prompter_.ask(question, echo);
  }
  void tell(const std::string& text) { prompter_.tell(text); }

 private:
  Prompter& prompter_;
  std::mutex mutex_;
  std::map<std::string, Secret> answers_;
  std::map<std::string, AnswerReuse> reuse_;
};

}  // namespace topsctl
