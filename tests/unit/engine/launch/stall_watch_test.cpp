// Which rank the others wait for.
#include "engine/launch/stall_watch.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

StillRank still(std::int64_t rank, const std::string& iteration, const std::string& state = "S") {
  return {rank, "", 0, iteration, state, ""};
}

TEST(RankBehind, IsTheOneThatHasComeLessFar) {
  EXPECT_EQ(rank_behind({still(0, "2, 9/100"), still(1, "1, 50/100"), still(2, "2, 9/100")}), 1);
  EXPECT_EQ(rank_behind({still(0, "10/20"), still(1, "9/20")}), 1) << "by number, not by text";
}

TEST(RankBehind, IsTheOneThatIsStopped) {
  EXPECT_EQ(rank_behind({still(0, ""), still(1, ""), still(2, "", "T")}), 2);
  EXPECT_EQ(rank_behind({still(0, "3/9"), still(1, "3/9", "D"), still(2, "2/9")}), 1);
}

TEST(RankBehind, IsNotGuessed) {
  EXPECT_EQ(rank_behind({}), std::nullopt);
  EXPECT_EQ(rank_behind({still(0, "1/9")}), std::nullopt);
  EXPECT_EQ(rank_behind({still(0, "3/9"), still(1, "3/9")}), std::nullopt);
  EXPECT_EQ(rank_behind({still(0, "1/9"), still(1, "1/9"), still(2, "2/9")}), std::nullopt);
  EXPECT_EQ(rank_behind({still(0, "3/9"), still(1, "")}), std::nullopt);
  EXPECT_EQ(rank_behind({still(0, "", "T"), still(1, "", "T"), still(2, "")}), std::nullopt);
}

}  // namespace
}  // namespace topsctl
