// "Name: value" paragraphs as they come from many hands.
#include "topsctl/host/content/stanza.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST(Stanzas, KeepFieldsInOrderAndRepeatedNames) {
  EXPECT_THAT(parse_stanza("A: 1\nB:2\nA:  3 \n").fields,
              ElementsAre(Pair("A", "1"), Pair("B", "2"), Pair("A", "3")));
}

TEST(Stanzas, GiveTheFirstFieldOfANameInAnyCase) {
  const Stanza stanza = parse_stanza("Package: a\npackage: b\n");
  EXPECT_EQ(stanza.value("PACKAGE"), "a");
  EXPECT_EQ(stanza.value("Version"), "");
}

TEST(Stanzas, JoinContinuationLines) {
  const Stanza stanza = parse_stanza("Depends: a,\n b,\n\tc\nX: y\n");
  EXPECT_EQ(stanza.value("Depends"), "a,\nb,\nc");
  EXPECT_EQ(stanza.value("X"), "y");
}

TEST(Stanzas, KeepColonsOfTheValue) {
  EXPECT_EQ(parse_stanza("Version: 1:2.3\n").value("version"), "1:2.3");
}

TEST(Stanzas, PassOverWhatIsNoField) {
  EXPECT_THAT(
      parse_stanza(
          " continuation of nothing\n# a: comment\nno field\n: no name\n\r: nor here\nA: 1\n")
          .fields,
      ElementsAre(Pair("A", "1")));
}

TEST(Stanzas, AcceptLineEndsOfWindowsAndNoLastLineEnd) {
  EXPECT_THAT(parse_stanza("A: 1\r\nB: 2").fields, ElementsAre(Pair("A", "1"), Pair("B", "2")));
}

TEST(Stanzas, EndAtAnEmptyLine) {
  EXPECT_THAT(parse_stanza("\n\nA: 1\n\nB: 2\n").fields, ElementsAre(Pair("A", "1")));
  EXPECT_THAT(parse_stanza("A: 1\n \t\nB: 2\n").fields, ElementsAre(Pair("A", "1")));
}

TEST(Stanzas, AreAllReadAndEmptyOnesLeftOut) {
  const auto stanzas = parse_stanzas("\nA: 1\n\n\n\nB: 2\nC: 3\n\n");
  ASSERT_THAT(stanzas, SizeIs(2));
  EXPECT_EQ(stanzas[1].value("C"), "3");
  EXPECT_THAT(parse_stanzas(""), IsEmpty());
  EXPECT_THAT(parse_stanzas("\n\n"), IsEmpty());
}

}  // namespace
}  // namespace topsctl
