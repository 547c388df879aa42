// Line diffs: order, counts, and bounds on hostile texts.
#include "topsctl/engine/reporting/line_diff.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(LineDiffs, OfTheSameTextAreEmpty) {
  EXPECT_TRUE(line_diff("a\nb\n", "a\nb\n", 20).is_empty());
  EXPECT_TRUE(line_diff("", "", 20).is_empty());
  // A missing end of line is no change of a line.
  EXPECT_TRUE(line_diff("a\nb", "a\nb\n", 20).is_empty());
}

TEST(LineDiffs, ShowRemovedAndAddedLinesInTheirOrder) {
  const LineDiff diff = line_diff("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n", 20);
  EXPECT_THAT(diff.first, ElementsAre("-b", "+x", "+e"));
  EXPECT_EQ(diff.removed, 1U);
  EXPECT_EQ(diff.added, 2U);
}

TEST(LineDiffs, AreShortForAMovedLine) {
  const LineDiff diff = line_diff("one\ntwo\nthree\nfour\n", "two\nthree\nfour\none\n", 20);
  EXPECT_THAT(diff.first, ElementsAre("-one", "+one"));
}

TEST(LineDiffs, OfNewAndGoneTexts) {
  EXPECT_THAT(line_diff("", "a\nb\n", 20).first, ElementsAre("+a", "+b"));
  EXPECT_THAT(line_diff("a\n\nb", "", 20).first, ElementsAre("-a", "-", "-b"));
}

TEST(LineDiffs, HandleRepeatedLines) {
  const LineDiff diff = line_diff("a\na\na\n", "a\na\n", 20);
  EXPECT_EQ(diff.removed, 1U);
  EXPECT_EQ(diff.added, 0U);
}

TEST(LineDiffs, CountAllButShowTheFirst) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += concat("line ", i, "\n");
  const LineDiff diff = line_diff("", text, 20);
  EXPECT_EQ(diff.added, 500U);
  EXPECT_THAT(diff.first, SizeIs(20));
  EXPECT_EQ(diff.first.front(), "+line 0");
}

TEST(LineDiffs, AreBoundedForHugeTexts) {
  std::string before;
  std::string after;
  for (int i = 0; i < 200'000; ++i) {
    before += concat(i, "\n");
    after += concat(200'000 - i, "\n");
  }
  const LineDiff diff = line_diff(before, after, 20);
  EXPECT_EQ(diff.removed, 1U);
  EXPECT_EQ(diff.added, 1U);
  EXPECT_THAT(diff.first, ElementsAre("-0", "+200000"));
}

TEST(LineDiffs, ArePrintableAndCutLongLines) {
  const LineDiff diff = line_diff("", concat("\033[31m\n", std::string(100'000, 'x')), 20);
  EXPECT_EQ(diff.first[0], "+?[31m");
  EXPECT_LT(diff.first[1].size(), 220U);
}

}  // namespace
}  // namespace topsctl
