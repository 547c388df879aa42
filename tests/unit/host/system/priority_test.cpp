// Tests of the priority of threads.
#include "topsctl/host/system/priority.hpp"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

namespace topsctl {
namespace {

int priority() {
  return ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
}

TEST(LowPriorities, AreOfOneThreadAndThoseItStartsAndEnd) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const int before = priority();
  int below = before;
  {
    const LowPriority low;
    EXPECT_EQ(priority(), 19);
    std::thread([&] { below = priority(); }).join();
  }
  EXPECT_EQ(below, 19);
  EXPECT_EQ(priority(), before);
}

// As root of a container often is: it could lower its priority, and never raise it again.
TEST(LowPriorities, AreNotForThoseWhoCannotGoBack) {
  const int before = priority();
  int within = before;
  // Capabilities are a thread's own.
  std::thread([&] {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
    ASSERT_EQ(::syscall(SYS_capset, &header, none), 0);
    const LowPriority low;
    within = priority();
  }).join();
  EXPECT_EQ(within, before);
}

}  // namespace
}  // namespace topsctl
