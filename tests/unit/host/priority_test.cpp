// Tests of the priority of threads.
#include "topsctl/host/priority.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
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

}  // namespace
}  // namespace topsctl
