// Work on several targets: what fails ends no other, and when no other is started.
#include "topsctl/engine/remote/target_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

std::string states(const std::vector<TargetResult>& results) {
  std::string text;
  for (const TargetResult& result : results) {
    text += result.status == TargetStatus::done     ? 'd'
            : result.status == TargetStatus::failed ? 'f'
                                                    : '-';
  }
  return text;
}

std::vector<TargetResult> run(std::size_t count, const TargetPoolOptions& options,
                              const std::string& bad) {
  return for_each_target(count, options, [&](std::size_t i) {
    if (bad.find(static_cast<char>('0' + i)) != std::string::npos)
      throw Error(ErrorCode::unreachable, "gone");
  });
}

TEST(Fleets, GoOnWhenOneFails) {
  EXPECT_EQ(states(run(5, {2, {}, 0}, "13")), "dfdfd");
}

TEST(Fleets, StartNoOtherAfterTooManyFailures) {
  EXPECT_EQ(states(run(5, {1, 0, 0}, "1")), "df---");
  EXPECT_EQ(states(run(5, {1, 1, 0}, "13")), "dfdf-");
}

TEST(Fleets, TryTheCanariesFirst) {
  EXPECT_EQ(states(run(5, {4, {}, 2}, "1")), "df---");
  EXPECT_EQ(states(run(5, {4, {}, 2}, "3")), "dddfd");
}

TEST(Fleets, WorkOnSeveralAtOnce) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  for_each_target(6, {3, {}, 0}, [&](std::size_t) {
    const int now = ++running;
    int before = most;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    while (most < 3) std::this_thread::yield();
    --running;
  });
  EXPECT_EQ(most, 3);
}

TEST(ErrorsOfFleets, SayWhatTheTargetsHaveInCommon) {
  EXPECT_FALSE(error_of(run(2, {}, ""), IfRerun::continues));
  EXPECT_EQ(error_of(run(1, {}, "0"), IfRerun::continues)->message(), "gone");
  EXPECT_EQ(error_of(run(2, {}, "01"), IfRerun::continues)->code(), ErrorCode::unreachable);
  EXPECT_EQ(error_of(run(2, {}, "1"), IfRerun::continues)->code(), ErrorCode::some_failed);
}

}  // namespace
}  // namespace topsctl
