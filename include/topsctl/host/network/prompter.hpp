// The seam to the person at the terminal.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace topsctl {

enum class Echo { off, on };

// Asks one question at a time, whatever number of threads ask.
class Prompter {
 public:
  virtual ~Prompter() = default;
  // The line that was typed; nothing if there is no terminal. Throws Error{interrupted}.
  virtual std::optional<std::string> ask(const std::string& question, Echo echo) = 0;
};

// Asks at /dev/tty.
class TerminalPrompter : public Prompter {
 public:
  std::optional<std::string> ask(const std::string& question, Echo echo) override;

 private:
  std::mutex mutex_;
};

// Secrets that were asked for, so that no question comes twice. They stay in memory.
class Secrets {
 public:
  explicit Secrets(Prompter& prompter) : prompter_(prompter) {}

  // What was answered to `question` before, or now. `refused`: an answer that did not do, which is
  // asked for anew unless somebody has been given another one meanwhile.
  std::optional<std::string> answer(const std::string& question,
                                    const std::optional<std::string>& refused = {});
  // Asked each time: a one-time code, or whether a key may be trusted.
  std::optional<std::string> ask(const std::string& question, Echo echo) {
    return prompter_.ask(question, echo);
  }

 private:
  Prompter& prompter_;
  std::mutex mutex_;
  std::map<std::string, std::string> answers_;
};

}  // namespace topsctl
