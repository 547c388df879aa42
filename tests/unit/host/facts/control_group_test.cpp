// Processes that the kernel has killed for want of memory.
#include "topsctl/host/facts/control_group.hpp"

#include <gtest/gtest.h>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

TEST(ControlGroups, OfTheFirstVersionTellKills) {
  SampleHost sample;
  sample.folder.write("proc/self/cgroup", "5:devices:/\n4:memory:/job\n0::/\n");
  EXPECT_EQ(oom_kills_of_group(sample.host), std::nullopt);
  sample.folder.write("sys/fs/cgroup/memory/job/memory.oom_control",
                      "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
  EXPECT_EQ(oom_kills_of_group(sample.host), 3U);
}

TEST(ControlGroups, OfTheSecondVersionTellKills) {
  SampleHost sample;
  sample.folder.write("proc/self/cgroup", "0::/user.slice/job\n");
  sample.folder.write("sys/fs/cgroup/user.slice/job/memory.events", "oom 2\noom_kill 2\n");
  EXPECT_EQ(oom_kills_of_group(sample.host), 2U);
}

TEST(ControlGroups, OfAContainerAreAtTheTop) {
  SampleHost sample;
  sample.folder.write("proc/self/cgroup", "0::/../outside\n");
  sample.folder.write("sys/fs/cgroup/memory.events", "oom_kill 0\n");
  EXPECT_EQ(oom_kills_of_group(sample.host), 0U);
}

}  // namespace
}  // namespace topsctl
