// Signals as a question that can be asked.
#include "topsctl/host/system/interrupt.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

class Interrupts : public testing::Test {
 protected:
  void SetUp() override {
    watch_signals();
    clear_interrupt();
  }
  void TearDown() override { clear_interrupt(); }

  static bool is_readable() {
    pollfd watched{interrupt_descriptor(), POLLIN, 0};
    return ::poll(&watched, 1, 0) == 1;
  }
};

TEST_F(Interrupts, AreNotThereBeforeASignal) {
  EXPECT_FALSE(is_interrupted());
  EXPECT_FALSE(is_readable());
  EXPECT_NO_THROW(throw_if_interrupted());
}

TEST_F(Interrupts, AreRememberedUntilTheyAreCleared) {
  ::raise(SIGINT);
  EXPECT_TRUE(is_interrupted());
  EXPECT_TRUE(is_readable());
  EXPECT_EQ(thrown_by([] { throw_if_interrupted(); }).code(), ErrorCode::interrupted);
  EXPECT_EQ(thrown_by([] { throw_if_interrupted(); }).code(), ErrorCode::interrupted);
  clear_interrupt();
  EXPECT_FALSE(is_interrupted());
  EXPECT_FALSE(is_readable());
}

TEST_F(Interrupts, TellTheSignalsApart) {
  ::raise(SIGTERM);
  EXPECT_EQ(thrown_by([] { throw_if_interrupted(); }).code(), ErrorCode::terminated);
}

TEST_F(Interrupts, ComeFromTheQuitKeyToo) {
  ::raise(SIGQUIT);
  EXPECT_EQ(thrown_by([] { throw_if_interrupted(); }).code(), ErrorCode::interrupted);
}

TEST_F(Interrupts, ComeFromADeadline) {
  const Deadline deadline(1);
  pollfd watched{interrupt_descriptor(), POLLIN, 0};
  while (::poll(&watched, 1, 30'000) < 0) {  // the signal itself ends a wait
  }
  ASSERT_NE(watched.revents, 0);
  const Error error = thrown_by([] { throw_if_interrupted(); });
  EXPECT_EQ(error.code(), ErrorCode::step_failed);
  EXPECT_EQ(error.message(), "not finished within the deadline of 1 s");
}

TEST_F(Interrupts, OfADeadlineEndWithItAndWithWhatItInterrupts) {
  {
    const Deadline deadline(3600);
    EXPECT_FALSE(is_interrupted());
    ::raise(SIGALRM);
    EXPECT_TRUE(is_interrupted());
  }
  EXPECT_FALSE(is_interrupted());
  EXPECT_FALSE(is_readable()) << "or whoever waits later would not";
  EXPECT_EQ(::alarm(0), 0U);
  const Deadline deadline(3600);
  clear_interrupt();
  EXPECT_EQ(::alarm(0), 0U) << "what undoes the work has all the time";
}

TEST_F(Interrupts, ByAPersonCountForMoreThanADeadline) {
  ::raise(SIGTERM);
  ::raise(SIGALRM);
  EXPECT_EQ(thrown_by([] { throw_if_interrupted(); }).code(), ErrorCode::terminated);
}

TEST_F(Interrupts, DoNotComeFromALostTerminalOrAClosedPipe) {
  ::raise(SIGHUP);
  ::raise(SIGPIPE);
  EXPECT_FALSE(is_interrupted());
}

}  // namespace
}  // namespace topsctl
