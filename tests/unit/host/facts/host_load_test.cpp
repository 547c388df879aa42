// Ticks of processors and memory, as the kernel tells them.
#include "topsctl/host/facts/host_load.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(HostLoads, CountWhatWaitsForDisksAsIdle) {
  const CpuTicks ticks = cpu_ticks_in(
      "cpu  100 10 40 800 50 0 0 0 0 0\ncpu0 50 5 20 400 25 0 0 0 0 0\ncpu1 50 5 20 400 25 0 0 0 "
      "0 0\nintr 1\n");
  EXPECT_EQ(ticks, (CpuTicks{2, 150, 1000}));
  EXPECT_EQ(cpu_ticks_in("nothing of the kind"), CpuTicks());
}

TEST(HostLoads, ReadMemoryInBytes) {
  HostLoad load;
  read_memory("MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    250 kB\n", load);
  EXPECT_EQ(load.memory_total_bytes, 1'024'000);
  EXPECT_EQ(load.memory_available_bytes, 256'000);
  HostLoad unknown;
  read_memory("", unknown);
  EXPECT_EQ(unknown, HostLoad());
}

}  // namespace
}  // namespace topsctl
