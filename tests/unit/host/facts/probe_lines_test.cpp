// What the lines of a probe mean.
#include "topsctl/host/facts/probe_lines.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(ProbeLines, AreTakenWithTheTokenOnly) {
  const auto steps = parse_probe_lines(
      "noise\nT {\"step\": \"torch\", \"state\": \"begin\"}\n"
      "{\"step\": \"torch\", \"state\": \"failed\"}\nX {\"step\": \"torch\", \"state\": "
      "\"failed\"}\n"
      "T {\"step\": \"torch\", \"state\": \"done\", \"version\": \"1.10\\u001b\", \"ms\": 7}\n"
      "T {\"step\": \"module\", \"state\": \"begin\"}\nT {\"step\"\nT []\n",
      "T");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].state, ProbeState::done);
  EXPECT_EQ(steps[0].version, "1.10?");
  EXPECT_EQ(steps[0].duration_ms, 7);
  EXPECT_EQ(steps[1].state, ProbeState::cut_off);
}

TEST(ProbeLines, TellCardsAndRanks) {
  const auto steps = parse_probe_lines(
      "T {\"step\": \"card\", \"state\": \"begin\", \"arguments\": [3]}\n"
      "T {\"step\": \"card\", \"state\": \"done\", \"right\": true, \"total\": 4224.0}\n"
      "T {\"step\": \"ranks\", \"state\": \"begin\"}\n"
      "T {\"step\": \"ranks\", \"state\": \"done\", \"status\": 1, \"answers\": [{\"rank\": 1, "
      "\"ok\": false, "
      "\"error\": \"E\"}, 7]}\n",
      "T");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].card, 3);
  EXPECT_TRUE(steps[0].is_right);
  EXPECT_EQ(steps[1].status, 1);
  ASSERT_EQ(steps[1].ranks.size(), 1U);
  EXPECT_EQ(steps[1].ranks[0].card, 1);
  EXPECT_EQ(steps[1].ranks[0].error, "E");
}

}  // namespace
}  // namespace topsctl
