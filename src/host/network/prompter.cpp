// Asks at the terminal, and hides secret answers.
#include "topsctl/host/network/prompter.hpp"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>

#include <array>
#include <cerrno>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"

namespace topsctl {

namespace {

// While it lives, typed text is not echoed.
class HiddenTyping {
 public:
  HiddenTyping(const Descriptor& terminal, Echo echo) : terminal_(terminal) {
    if (echo == Echo::on || ::tcgetattr(terminal.get(), &before_) != 0) return;
    termios hidden = before_;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    is_hidden_ = ::tcsetattr(terminal.get(), TCSAFLUSH, &hidden) == 0;
  }
  ~HiddenTyping() {
    if (!is_hidden_) return;
    ::tcsetattr(terminal_.get(), TCSAFLUSH, &before_);
    static_cast<void>(!::write(terminal_.get(), "\n", 1));
  }
  HiddenTyping(const HiddenTyping&) = delete;
  HiddenTyping& operator=(const HiddenTyping&) = delete;

 private:
  const Descriptor& terminal_;
  termios before_{};
  bool is_hidden_ = false;
};

}  // namespace

std::optional<Secret> TerminalPrompter::ask(const std::string& question, Echo echo) {
  const std::lock_guard<std::mutex> turn(mutex_);
  const Descriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal.is_open()) return std::nullopt;
  const HiddenTyping hidden(terminal, echo);
  if (echo == Echo::off) hide_memory();
  write_all(terminal, concat("\r\033[K", printable(question, Lines::keep), " "), "/dev/tty");
  Secret line;
  for (std::size_t size = 0;;) {
    std::array<pollfd, 2> watched = {
        {{terminal.get(), POLLIN, 0}, {interrupt_descriptor(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), -1);
    throw_if_interrupted();
    char c = 0;
    const ssize_t got = ::read(terminal.get(), &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    if (c == '\n') return line;
    constexpr std::size_t longest = 4096;
    if (size++ < longest) line.add(c);
  }
}

void TerminalPrompter::tell(const std::string& text) {
  const std::lock_guard<std::mutex> turn(mutex_);
  const Descriptor terminal(::open("/dev/tty", O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (terminal.is_open())
    write_all(terminal, concat("\r\033[K", printable(text, Lines::keep), "\n"), "/dev/tty");
}

std::optional<Secret> Secrets::answer(const Question& question,
                                      const std::optional<Secret>& refused) {
  const std::lock_guard<std::mutex> turn(mutex_);
  const std::string& key = question.key.empty() ? question.text : question.key;
  const auto before = answers_.find(key);
  if (before != answers_.end() && before->second != refused) return before->second;
  if (question.asking == Asking::never) return std::nullopt;
  const auto typed = prompter_.ask(question.text, question.echo);
  if (typed) answers_[key] = *typed;
  return typed;
}

std::optional<Secret> Secrets::known(const std::string& key) {
  const std::lock_guard<std::mutex> turn(mutex_);
  const auto found = answers_.find(key);
  return found == answers_.end() ? std::nullopt : std::optional(found->second);
}

AnswerReuse& Secrets::reuse_of(const std::string& login) {
  const std::lock_guard<std::mutex> turn(mutex_);
  return reuse_[login];
}

}  // namespace topsctl
