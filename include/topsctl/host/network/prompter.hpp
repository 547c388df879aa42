// The seam to the person at the terminal.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "topsctl/host/system/secret.hpp"

namespace topsctl {

enum class Echo { off, on };

// Asks one question at a time, whatever number of threads ask.
class Prompter {
 public:
  virtual ~Prompter() = default;
  // The line that was typed; nothing if there is no terminal. Throws Error{interrupted}.
  virtual std::optional<Secret> ask(const std::string& question, Echo echo) = 0;
};

// Asks at /dev/tty. From the first hidden answer on, the memory of this process is hidden too.
class TerminalPrompter : public Prompter {
 public:
  std::optional<Secret> ask(const std::string& question, Echo echo) override;

 private:
  std::mutex mutex_;
};

// Secrets that were asked for, so that no question comes twice. They are kept as long as it lives.
class Secrets {
 public:
  explicit Secrets(Prompter& prompter) : prompter_(prompter) {}

  // What was answered to `question` before, or now. `refused`: an answer that did not do, which is
  // asked for anew unless somebody has been given another one meanwhile.
  std::optional<Secret> answer(const std::string& question,
                               const std::optional<Secret>& refused = {});
  // Asked each time: a one-time code, or whether a key may be trusted.
  std::optional<Secret> ask(const std::string& question, Echo echo) {
    return prompter_.ask(question, echo);
  }

 private:
  Prompter& prompter_;
  std::mutex mutex_;
  std::map<std::string, Secret> answers_;
};

}  // namespace topsctl
