// Waits that end with an event, and cost nothing before.
#include "topsctl/host/system/waiting.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"

namespace topsctl {
namespace {

class Waits : public testing::Test {
 protected:
  void SetUp() override {
    watch_signals();
    clear_interrupt();
  }
  void TearDown() override { clear_interrupt(); }
  static bool is_readable(int descriptor) {
    pollfd watched{descriptor, POLLIN, 0};
    return ::poll(&watched, 1, 0) == 1;
  }
};

TEST_F(Waits, EndWithTheirTime) {
  EXPECT_FALSE(wait_for({}, WaitLimit(1)));
  EXPECT_FALSE(wait_for({-1}, WaitLimit(-5)));
  EXPECT_TRUE(WaitLimit(0).is_over());
}

TEST_F(Waits, MayHaveNoLimit) {
  EXPECT_FALSE(WaitLimit().is_over());
  EXPECT_EQ(WaitLimit().poll_timeout(), -1);
  EXPECT_GT(WaitLimit(std::int64_t{1} << 62U).poll_timeout(), 1'000'000'000);
}

TEST_F(Waits, EndWhenTheOtherEndOfAPipeIsClosed) {
  Pipe pipe = make_pipe();
  std::jthread other([&] { pipe.write_end.close(); });
  EXPECT_TRUE(wait_for({pipe.read_end.get()}));
}

TEST_F(Waits, EndWithASignal) {
  ::raise(SIGTERM);
  EXPECT_TRUE(wait_for({}));
  EXPECT_EQ(thrown_by([] { pause_for(std::chrono::hours(1)); }).code(), ErrorCode::terminated);
}

TEST_F(Waits, EndWhenAnotherThreadRings) {
  const Bell bell;
  std::jthread other([&] { bell.ring(); });
  EXPECT_TRUE(wait_for({bell.descriptor()}));
  bell.silence();
  EXPECT_FALSE(is_readable(bell.descriptor()));
}

TEST_F(Waits, EndWhenOneOfTheFilesIsWrittenTo) {
  const TemporaryFolder folder;
  const auto first = folder.write("first", "a");
  const auto second = folder.write("second", "a");
  FileWatch watch(first);
  watch.add(second);
  ASSERT_TRUE(watch.is_watching());
  EXPECT_FALSE(is_readable(watch.descriptor()));
  folder.write("second", "b");
  EXPECT_TRUE(wait_for({watch.descriptor()}, watch.longest_wait()));
  watch.clear();
  EXPECT_FALSE(is_readable(watch.descriptor()));
  std::filesystem::remove(first);
  EXPECT_TRUE(wait_for({watch.descriptor()}, watch.longest_wait()));
}

TEST_F(Waits, ForAFileThatIsNotThereLookAtItNowAndThen) {
  const TemporaryFolder folder;
  const FileWatch watch(folder / "none");
  EXPECT_FALSE(watch.is_watching());
  EXPECT_EQ(watch.descriptor(), -1);
  EXPECT_LE(watch.longest_wait().poll_timeout(), 1000);
}

}  // namespace
}  // namespace topsctl
