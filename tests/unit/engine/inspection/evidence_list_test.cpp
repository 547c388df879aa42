// Evidence is bounded in number and width, and fit to be shown.
#include "topsctl/engine/inspection/evidence_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(EvidenceLists, KeepWhatTheyAreGiven) {
  EvidenceList list;
  EXPECT_TRUE(list.is_empty());
  EXPECT_THAT(list.pieces(), IsEmpty());
  list.add("preinst", "rm -rf /etc", 3);
  list.add("/usr/lib/x", "a");
  EXPECT_FALSE(list.is_empty());
  EXPECT_THAT(list.pieces(),
              ElementsAre(Evidence{"preinst", 3, "rm -rf /etc"}, Evidence{"/usr/lib/x", 0, "a"}));
}

TEST(EvidenceLists, CountWhatIsTooMuch) {
  EvidenceList list;
  for (int i = 0; i < 20; ++i) list.add("s", "t");
  EXPECT_EQ(list.pieces().size(), 20U);
  for (int i = 0; i < 5; ++i) list.add("s", "t");
  ASSERT_EQ(list.pieces().size(), 21U);
  EXPECT_EQ(list.pieces().back(), (Evidence{"", 0, "and 5 more"}));
}

TEST(EvidenceLists, AreFitForATerminal) {
  EvidenceList list;
  list.add("a\nb", "x\x1b[2Jy\xff");
  list.add("s", std::string(200, 'a'));
  list.add("s", std::string(201, 'a'));
  list.add("s", std::string(100000, '\xff'));
  const auto pieces = list.pieces();
  EXPECT_EQ(pieces[0], (Evidence{"a?b", 0, "x?[2Jy?"}));
  EXPECT_EQ(pieces[1].text, std::string(200, 'a'));
  EXPECT_EQ(pieces[2].text, std::string(197, 'a') + "...");
  EXPECT_EQ(pieces[3].text, std::string(197, '?') + "...");
}

}  // namespace
}  // namespace topsctl
