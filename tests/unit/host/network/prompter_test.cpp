// Questions at a terminal of the test's own.
#include "topsctl/host/network/prompter.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"

namespace topsctl {
namespace {

constexpr int is_right = 1;
constexpr int is_hidden = 2;

// Asks at a terminal where a word is typed, in a process of its own: whether the answer was right,
// and whether the memory is hidden then.
int asked(Echo echo) {
  int master = -1;
  const pid_t child = ::forkpty(&master, nullptr, nullptr, nullptr);
  if (child == 0) {
    const auto answer = TerminalPrompter().ask("Word?", echo);
    const bool is_shown = ::prctl(PR_GET_DUMPABLE) != 0;
    ::_exit((answer == Secret("sesame") ? is_right : 0) + (is_shown ? 0 : is_hidden));
  }
  const Descriptor terminal(master);
  std::string seen;
  std::string piece(256, '\0');
  for (ssize_t got = 1; got > 0;) {
    got = ::read(terminal.get(), piece.data(), piece.size());
    if (got <= 0) break;
    seen.append(piece, 0, static_cast<std::size_t>(got));
    if (seen.ends_with("Word? ")) EXPECT_EQ(::write(terminal.get(), "sesame\n", 7), 7);
  }
  EXPECT_EQ(seen.find("sesame") != std::string::npos, echo == Echo::on);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST(Questions, AreAnsweredAtTheTerminal) {
  EXPECT_EQ(asked(Echo::on), is_right);
}

TEST(Questions, WithAHiddenAnswerHideTheMemoryToo) {
  EXPECT_EQ(asked(Echo::off), is_right + is_hidden);
}

// Types a word for each question, and remembers what it was asked.
class Typing : public Prompter {
 public:
  std::optional<Secret> ask(const std::string& question, Echo echo) override {
    asked.push_back(concat(question, echo == Echo::on ? " (shown)" : ""));
    return Secret(concat("word ", asked.size()));
  }
  std::vector<std::string> asked;
};

TEST(RememberedAnswers, AreThoseOfTheSameQuestionHoweverItIsPut) {
  Typing typing;
  Secrets secrets(typing);
  EXPECT_EQ(secrets.answer({"Word?"}), Secret("word 1"));
  EXPECT_EQ(secrets.answer({"Word?"}), Secret("word 1"));
  EXPECT_EQ(secrets.answer({"Code?", Echo::on, Asking::allowed, "code"}), Secret("word 2"));
  EXPECT_EQ(secrets.answer({"And the code?", Echo::on, Asking::allowed, "code"}), Secret("word 2"));
  EXPECT_EQ(secrets.known("code"), Secret("word 2"));
  EXPECT_FALSE(secrets.known("Code?"));
  EXPECT_EQ(typing.asked, (std::vector<std::string>{"Word?", "Code? (shown)"}));
}

TEST(RememberedAnswers, AreAskedForAnewWhereTheyWereRefused) {
  Typing typing;
  Secrets secrets(typing);
  const auto refused = secrets.answer({"Word?"});
  EXPECT_EQ(secrets.answer({"Word?"}, refused), Secret("word 2"));
  // Somebody else was refused the same, and comes later.
  EXPECT_EQ(secrets.answer({"Word?"}, refused), Secret("word 2"));
}

TEST(RememberedAnswers, AreAllThatCountsWhereNobodyMayBeAsked) {
  Typing typing;
  Secrets secrets(typing);
  EXPECT_FALSE(secrets.answer({"Word?", Echo::off, Asking::never}));
  const auto known = secrets.answer({"Word?"});
  EXPECT_EQ(secrets.answer({"Word?", Echo::off, Asking::never}), known);
  EXPECT_FALSE(secrets.answer({"Word?", Echo::off, Asking::never}, known));
  EXPECT_EQ(typing.asked.size(), 1U);
}

}  // namespace
}  // namespace topsctl
