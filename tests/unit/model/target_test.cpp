// Targets as people write them, and what is no target.
#include "topsctl/model/target.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

TEST(Targets, HaveUserHostPortAndContainer) {
  EXPECT_EQ(parse_target("node1"), (Target{"", "node1", 0, ""}));
  EXPECT_EQ(parse_target("ops@node1"), (Target{"ops", "node1", 0, ""}));
  EXPECT_EQ(parse_target("ops@node1:2222/topsrider"), (Target{"ops", "node1", 2222, "topsrider"}));
  EXPECT_EQ(parse_target(" 10.0.0.1/box_1 "), (Target{"", "10.0.0.1", 0, "box_1"}));
  EXPECT_EQ(parse_target("root@[fe80::1%eth0]:22"), (Target{"root", "fe80::1%eth0", 22, ""}));
  EXPECT_EQ(parse_target("[::1]/c"), (Target{"", "::1", 0, "c"}));
}

TEST(Targets, MayBeThisMachine) {
  EXPECT_TRUE(parse_target("local:").is_local());
  EXPECT_EQ(parse_target("local:/topsrider"), (Target{"", "", 0, "topsrider"}));
}

TEST(Targets, AreShownAsTheyAreWritten) {
  for (const char* text :
       {"node1", "ops@node1:2222/topsrider", "root@[fe80::1]:22", "local:", "local:/topsrider"}) {
    EXPECT_EQ(parse_target(text).text(), text);
    EXPECT_EQ(parse_target(parse_target(text).text()), parse_target(text));
  }
}

TEST(Targets, AreNotWhatAProgramWouldTakeForAnOption) {
  for (const char* text : {"",           "@host",      "-oProxyCommand=x",
                           "user@-host", "-l@host",    "host/-it",
                           "host/",      "host/a b",   "host/a/b",
                           "host:0",     "host:65536", "host:x",
                           "host:",      "fe80::1",    "[fe80::1",
                           "[::1]x",     "[]",         "a$(b)",
                           "[-h::1]",    "a;b",        "a'b",
                           "a b",        "us er@host", "host/..;"}) {
    EXPECT_EQ(thrown_by([&] { parse_target(text); }).code(), ErrorCode::usage) << text;
  }
}

TEST(Targets, HaveNoPathAsScpHas) {
  for (const char* text : {"host:/tmp", "root@host:/tmp/x", "[::1]:/tmp"})
    EXPECT_THAT(thrown_by([&] { parse_target(text); }).message(), HasSubstr("--dest")) << text;
}

TEST(ListsOfTargets, HaveOneALineAndComments) {
  const auto targets =
      parse_targets("# all\nnode1\n\n  ops@node2:22 # the second\nnode3/c\r\n", "f");
  ASSERT_EQ(targets.size(), 3U);
  EXPECT_EQ(targets[1], (Target{"ops", "node2", 22, ""}));
  EXPECT_EQ(targets[2].container, "c");
}

TEST(ListsOfTargets, NameTheLineThatIsWrong) {
  const Error error = thrown_by([] { parse_targets("a\nb c\n", "'hosts.txt'"); });
  EXPECT_EQ(error.context(), std::vector<std::string>{"'hosts.txt', line 2"});
}

TEST(Targets, OfAFileAreNotWithoutNumber) {
  std::string text;
  for (int i = 0; i < 10'001; ++i) text += "n\n";
  EXPECT_EQ(thrown_by([&] { parse_targets(text, "f"); }).code(), ErrorCode::usage);
}

TEST(ListsOfTargets, AreNotEmpty) {
  EXPECT_EQ(thrown_by([] { parse_targets("# none\n\n", "f"); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace topsctl
