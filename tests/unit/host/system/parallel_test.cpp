// Work that is shared among threads: each index once, and the first failure is told.
#include "topsctl/host/system/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace topsctl {
namespace {

TEST(ParallelWork, IsDoneOnceForEachIndex) {
  for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
    std::vector<std::atomic<int>> times(count);
    for_each_index(count, [&](std::size_t i) { ++times[i]; });
    for (const std::atomic<int>& one : times) EXPECT_EQ(one, 1);
  }
}

TEST(ParallelWork, ByRangesIsDoneOnceForEachIndex) {
  for (const std::size_t count : {0U, 1U, 64U, 65U, 1000U}) {
    std::vector<std::atomic<int>> times(count);
    for_each_range(count, [&](std::size_t begin, std::size_t end) {
      EXPECT_LT(begin, end);
      for (std::size_t i = begin; i < end; ++i) ++times.at(i);
    });
    for (const std::atomic<int>& one : times) EXPECT_EQ(one, 1);
  }
}

TEST(ParallelWork, EndsWithTheFirstFailure) {
  std::atomic<int> done = 0;
  EXPECT_THROW(for_each_index(1'000'000,
                              [&](std::size_t i) {
                                if (i == 10) throw std::runtime_error("no");
                                ++done;
                              }),
               std::runtime_error);
  EXPECT_LT(done, 1'000'000);
}

}  // namespace
}  // namespace topsctl
