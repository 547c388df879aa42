// Waits for locks that others hold.
#include "topsctl/host/system/lock_wait.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "support/temporary_folder.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/process.hpp"

namespace topsctl {
namespace {

class LockWaits : public testing::TestWithParam<LockKind> {
 protected:
  void SetUp() override {
    watch_signals();
    clear_interrupt();
    folder_.write("lock", "");
  }
  void TearDown() override { clear_interrupt(); }

  Descriptor opened() const {
    return Descriptor(::open((folder_ / "lock").c_str(), O_RDWR | O_CLOEXEC));
  }
  static bool lock_now(const Descriptor& file) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    return GetParam() == LockKind::whole ? ::flock(file.get(), LOCK_EX | LOCK_NB) == 0
                                         : ::fcntl(file.get(), F_OFD_SETLK, &lock) == 0;
  }
  // Closing it is not enough where the waiter was made with it open.
  static void let_go(const Descriptor& file) {
    struct flock lock {};
    lock.l_type = F_UNLCK;
    ::flock(file.get(), LOCK_UN);
    ::fcntl(file.get(), F_OFD_SETLK, &lock);
  }
  Descriptor held() const {
    Descriptor file = opened();
    EXPECT_TRUE(lock_now(file));
    return file;
  }

  TemporaryFolder folder_;
};

TEST_P(LockWaits, BringTheLockOnceItsHolderLetsGo) {
  const Descriptor holder = held();
  const Descriptor file = opened();
  std::jthread other([&] { let_go(holder); });
  ASSERT_TRUE(lock_within(file, GetParam(), {}));
  EXPECT_FALSE(lock_now(opened())) << "it stays with the file when the waiter has ended";
}

TEST_P(LockWaits, BringAFreeLockAtOnce) {
  EXPECT_TRUE(lock_within(opened(), GetParam(), {}));
}

TEST_P(LockWaits, EndWithTheirTime) {
  Descriptor holder = held();
  {
    const Descriptor file = opened();
    EXPECT_FALSE(lock_within(file, GetParam(), WaitLimit(1)));
  }
  holder.close();
  EXPECT_TRUE(lock_now(opened())) << "nobody waits any longer";
}

TEST_P(LockWaits, EndWithASignal) {
  const Descriptor holder = held();
  ::raise(SIGINT);
  EXPECT_FALSE(lock_within(opened(), GetParam(), {}));
}

INSTANTIATE_TEST_SUITE_P(Each, LockWaits, testing::Values(LockKind::whole, LockKind::record),
                         [](const auto& info) {
                           return std::string(info.param == LockKind::whole ? "whole" : "record");
                         });

TEST_P(LockWaits, LeaveNobodyWaitingWhenTopsctlIsKilled) {
  Descriptor holder = held();
  const pid_t topsctl = start_copy([&] {
    holder.close();
    lock_within(opened(), GetParam(), {});
    return 0;
  });
  // Until its waiter is there, as the kernel tells.
  const std::string children = concat("/proc/", topsctl, "/task/", topsctl, "/children");
  while (TemporaryFolder::read_bytes(children).empty()) std::this_thread::yield();
  ::kill(topsctl, SIGKILL);
  ::waitpid(topsctl, nullptr, 0);
  holder.close();
  const Descriptor file = opened();
  EXPECT_TRUE(lock_within(file, GetParam(), WaitLimit(60'000)));
}

TEST(Releases, AreSeenWhenTheHolderHasEnded) {
  const TemporaryFolder folder;
  const auto path = folder.write("lock", "");
  Descriptor holder(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(holder.get(), LOCK_EX | LOCK_NB), 0);
  const ReleaseWatch watch(Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
  EXPECT_FALSE(wait_for({watch.descriptor()}, WaitLimit(1)));
  ::flock(holder.get(), LOCK_UN);
  EXPECT_TRUE(wait_for({watch.descriptor()}, WaitLimit(60'000)));
  EXPECT_EQ(::flock(holder.get(), LOCK_EX | LOCK_NB), 0) << "the watch keeps no lock";
}

}  // namespace
}  // namespace topsctl
