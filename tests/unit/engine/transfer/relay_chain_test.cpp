// Who stands where in a chain, and when somebody is no longer fed.
#include "topsctl/engine/transfer/relay_chain.hpp"

#include <gtest/gtest.h>

#include "support/moved_clock.hpp"

namespace topsctl {
namespace {

class RelayChains : public testing::Test {
 protected:
  MovedClock clock;
  RelayChain chain{clock};
};

TEST_F(RelayChains, PutEachBehindTheLastWhoFeedsNobody) {
  const auto first = chain.join("first");
  const auto second = chain.join("second");
  const auto third = chain.join("third");
  EXPECT_EQ(first->feeder(), "");
  EXPECT_EQ(second->feeder(), "first");
  EXPECT_EQ(third->feeder(), "second");
  EXPECT_TRUE(first->has_follower());
  EXPECT_FALSE(third->has_follower());
}

TEST_F(RelayChains, PutNobodyBehindOneWhoIsAboutToLeave) {
  const auto first = chain.join("first");
  EXPECT_FALSE(first->has_follower());
  EXPECT_EQ(chain.join("second")->feeder(), "");
}

TEST_F(RelayChains, BringARequestToTheOneBeforeOnce) {
  const auto first = chain.join("first");
  const auto second = chain.join("second");
  EXPECT_FALSE(first->request());
  second->ask({"10.0.0.1", 1, "key", {{0, 0}}});
  ASSERT_TRUE(first->has_follower());
  EXPECT_EQ(first->request()->address, "10.0.0.1");
  EXPECT_FALSE(first->request());
  second->ask({"10.0.0.1", 2, "key", {}});
  second->let_go();
  EXPECT_FALSE(first->request());
  EXPECT_FALSE(first->has_follower());
  EXPECT_EQ(second->feeder(), "");
}

TEST_F(RelayChains, TellWhenTheOneBeforeIsGone) {
  auto first = chain.join("first");
  const auto second = chain.join("second");
  EXPECT_TRUE(second->is_fed());
  first.reset();
  EXPECT_FALSE(second->is_fed());
}

TEST_F(RelayChains, TellWhenAFeedIsBroken) {
  const auto first = chain.join("first");
  const auto second = chain.join("second");
  first->tell_broken_feed();
  EXPECT_FALSE(second->is_fed());
}

TEST(AddressesOfFollowers, AreOfHostsAndNotOfTheFeederItself) {
  for (const char* host :
       {"10.0.0.2", "192.168.7.1", "8.8.8.8", "fd00::2", "2001:db8::1", "::ffff:10.0.0.2"})
    EXPECT_TRUE(is_address_of_follower(host, "10.0.0.9")) << host;
  for (const char* not_one : {"", "localhost", "0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255",
                              "169.254.169.254", "::", "ff02::1", "fe80::1", "fe80::1%eth0",
                              "::ffff:169.254.169.254", "10.0.0.2 ", "10.2", "node2"})
    EXPECT_FALSE(is_address_of_follower(not_one, "127.0.0.1")) << not_one;
  for (const char* own : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_FALSE(is_address_of_follower(own, "10.0.0.9")) << own;
    EXPECT_FALSE(is_address_of_follower(own, "")) << own;
    EXPECT_TRUE(is_address_of_follower(own, "127.0.0.1")) << own;
  }
}

TEST_F(RelayChains, HavePatienceOnlyWithOneWhoHasNothingMoreToGive) {
  const auto first = chain.join("first");
  const auto second = chain.join("second");
  first->tell_progress(100);
  second->tell_progress(100);
  EXPECT_TRUE(second->is_fed());
  clock.passed += std::chrono::seconds(59);
  EXPECT_TRUE(second->is_fed()) << "neither has made progress";
  first->tell_progress(200);
  EXPECT_TRUE(second->is_fed());
  clock.passed += std::chrono::seconds(9);
  EXPECT_TRUE(second->is_fed());
  second->tell_progress(150);
  EXPECT_TRUE(second->is_fed());
  clock.passed += std::chrono::seconds(9);
  EXPECT_TRUE(second->is_fed()) << "it has made progress nine seconds ago";
  clock.passed += std::chrono::seconds(2);
  EXPECT_FALSE(second->is_fed());
}

TEST_F(RelayChains, DoNotWaitForAHeadThatStandsStill) {
  const auto first = chain.join("first");
  const auto second = chain.join("second");
  const auto third = chain.join("third");
  for (const auto* each : {&first, &second, &third}) (*each)->tell_progress(100);
  clock.passed += std::chrono::seconds(61);
  EXPECT_FALSE(second->is_fed());
  EXPECT_TRUE(third->is_fed()) << "the one before it is fed itself, and decides";
  second->let_go();
  EXPECT_TRUE(third->is_fed()) << "it has just begun to be served by the workstation";
  clock.passed += std::chrono::seconds(61);
  EXPECT_FALSE(third->is_fed());
}

TEST_F(RelayChains, GiveUpOneWhoPassesOnDropByDrop) {
  constexpr std::uint64_t mib = 1ULL << 20U;
  const auto seconds_with = [this](std::uint64_t bytes_each_9_s) {
    const auto first = chain.join("first");
    const auto second = chain.join("second");
    first->tell_progress(10'000 * mib);
    int seconds = 0;
    for (std::uint64_t got = 0; second->is_fed() && seconds < 3600; seconds += 9) {
      clock.passed += std::chrono::seconds(9);
      second->tell_progress(got += bytes_each_9_s);
    }
    return seconds;
  };
  EXPECT_LE(seconds_with(4 * mib), 36);
  EXPECT_EQ(seconds_with(10 * mib), 3600);
}

TEST_F(RelayChains, JudgeNoSpeedOfOneWhoHasGivenAll) {
  constexpr std::uint64_t mib = 1ULL << 20U;
  const auto first = chain.join("first");
  const auto second = chain.join("second");
  // The line of the workstation is slow; each chunk is passed on at once.
  for (std::uint64_t chunk = 1; chunk < 100; ++chunk) {
    clock.passed += std::chrono::seconds(20);
    first->tell_progress(chunk * 4 * mib);
    EXPECT_TRUE(second->is_fed());
    clock.passed += std::chrono::seconds(1);
    second->tell_progress(chunk * 4 * mib);
  }
  EXPECT_TRUE(second->is_fed());
}

}  // namespace
}  // namespace topsctl
