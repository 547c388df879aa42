// The order in which members are read, and the memory that is given to them.
#include "topsctl/host/member_queue.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <set>

namespace topsctl {
namespace {

MemberQueue::Turn turn(MemberQueue& queue) {
  return queue.next().value_or(MemberQueue::Turn{999, MemberReading::stream});
}

TEST(MemberQueues, GiveWhatIsTooBigForAllMemoryFirstAndAsStreams) {
  MemberQueue queue({500, 101, 100, 1}, 100);
  EXPECT_EQ(turn(queue).index, 0U);
  const auto second = turn(queue);
  EXPECT_EQ(second.index, 1U);
  EXPECT_EQ(second.how, MemberReading::stream);
  const auto third = turn(queue);
  EXPECT_EQ(third.index, 2U);
  EXPECT_EQ(third.how, MemberReading::whole);
}

TEST(MemberQueues, GiveTheBiggestThatFitsBesideOthers) {
  MemberQueue queue({80, 60, 20, 10}, 100);
  const auto first = turn(queue);
  EXPECT_EQ(first.index, 0U);
  EXPECT_EQ(turn(queue).index, 2U);
  queue.done(first);
  const auto third = turn(queue);
  EXPECT_EQ(third.index, 1U);
  EXPECT_EQ(third.how, MemberReading::whole);
  EXPECT_EQ(turn(queue).index, 3U);
  EXPECT_FALSE(queue.next().has_value());
}

TEST(MemberQueues, ReadTheBiggestAsAStreamWhenNothingFits) {
  MemberQueue queue({90, 80, 70}, 100);
  turn(queue);
  const auto second = turn(queue);
  EXPECT_EQ(second.index, 1U);
  EXPECT_EQ(second.how, MemberReading::stream);
  queue.done(second);  // it took none, so it gives none back
  EXPECT_EQ(turn(queue).how, MemberReading::stream);
}

TEST(MemberQueues, GiveEachMemberOnceAndNeverMoreMemoryThanThereIs) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> needs(random() % 60);
    for (std::uint64_t& need : needs) need = random() % 130;
    std::sort(needs.rbegin(), needs.rend());
    MemberQueue queue(needs, 100);
    std::set<std::size_t> seen;
    std::vector<MemberQueue::Turn> open;
    std::uint64_t used = 0;
    while (const auto next = queue.next()) {
      EXPECT_TRUE(seen.insert(next->index).second);
      if (next->how == MemberReading::whole) used += needs[next->index];
      EXPECT_LE(used, 100U);
      open.push_back(*next);
      while (!open.empty() && random() % 2 == 0) {
        if (open.back().how == MemberReading::whole) used -= needs[open.back().index];
        queue.done(open.back());
        open.pop_back();
      }
    }
    EXPECT_EQ(seen.size(), needs.size());
  }
}

TEST(MemoryToReadAMemberWhole, IsThatOfItsDataBeforeAndAfter) {
  ZipEntry entry;
  entry.method = 8;
  entry.size = 1000;
  entry.compressed_size = 300;
  EXPECT_EQ(memory_to_read_whole(entry), 1300U);
  entry.size = UINT64_MAX - 5;
  EXPECT_EQ(memory_to_read_whole(entry), UINT64_MAX);
  entry.method = 0;
  EXPECT_EQ(memory_to_read_whole(entry), 0U);
}

TEST(MemberQueues, OfNothingAreEmpty) {
  EXPECT_FALSE(MemberQueue({}, 100).next().has_value());
}

}  // namespace
}  // namespace topsctl
