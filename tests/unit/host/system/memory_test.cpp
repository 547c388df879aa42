// Spare memory, from files written by hand.
#include "host/system/memory.hpp"

#include <gtest/gtest.h>

#include <map>

namespace topsctl {
namespace {

std::uint64_t spare(const std::map<std::string, std::string>& files) {
  return spare_memory([&](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  });
}

const std::string meminfo = "MemTotal:  16 kB\nMemFree: 1 kB\nMemAvailable:      8 kB\n";

TEST(SpareMemory, IsWhatTheKernelCallsAvailable) {
  EXPECT_EQ(spare({{"/proc/meminfo", meminfo}}), 8192U);
  EXPECT_EQ(spare({{"/proc/meminfo", "MemTotal: 16 kB\n"}}), 0U);
  EXPECT_EQ(spare({}), 0U);
}

TEST(SpareMemory, IsNoMoreThanTheLimitsOfTheGroupAndThoseAboveItLeave) {
  std::map<std::string, std::string> files = {{"/proc/meminfo", meminfo},
                                              {"/proc/self/cgroup", "0::/a/b\n"},
                                              {"/sys/fs/cgroup/a/b/memory.max", "max\n"},
                                              {"/sys/fs/cgroup/a/memory.max", "5000\n"},
                                              {"/sys/fs/cgroup/a/memory.current", "1000\n"}};
  EXPECT_EQ(spare(files), 4000U);
  files["/sys/fs/cgroup/a/memory.current"] = "6000\n";
  EXPECT_EQ(spare(files), 0U);
  files["/sys/fs/cgroup/a/memory.max"] = "max\n";
  EXPECT_EQ(spare(files), 8192U);
}

TEST(SpareMemory, KnowsTheFirstVersionOfControlGroupsAndContainers) {
  std::map<std::string, std::string> files = {
      {"/proc/meminfo", meminfo},
      {"/proc/self/cgroup", "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "3000\n"},
      {"/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n"}};
  EXPECT_EQ(spare(files), 2000U);
}

}  // namespace
}  // namespace topsctl
