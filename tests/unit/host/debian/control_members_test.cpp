// conffiles and triggers as dpkg reads them; tests/peers compares more of them with dpkg itself.
#include "host/debian/control_members.hpp"

#include <gmock/gmock.h>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of_conffiles(const std::string& text) {
  return thrown_by([&] { read_conffiles(text, "a.deb"); }).message();
}

std::string refusal_of_triggers(const std::string& text) {
  return thrown_by([&] { require_sound_triggers(text, "a.deb"); }).message();
}

TEST(ConffileLists, NameWhatIsKeptAndWhatIsRemoved) {
  const Conffiles found =
      read_conffiles("/etc/a  \n\n   \n/etc/b c\nremove-on-upgrade /etc/old\r\n", "a.deb");
  EXPECT_THAT(found.kept, ElementsAre("/etc/a", "/etc/b c"));
  EXPECT_THAT(found.removed, ElementsAre("/etc/old"));
}

TEST(ConffileLists, AreRefusedForLinesThatDpkgRefuses) {
  EXPECT_THAT(refusal_of_conffiles("/etc/a"), HasSubstr("has no newline"));
  for (const char* text : {"etc/a\n", " /etc/a\n", "remove-on-upgrade\n", "keep /etc/a\n",
                           "remove-on-upgrade  /etc/a\n", "# /etc/a\n"}) {
    EXPECT_THAT(refusal_of_conffiles(text),
                HasSubstr("a line of conffiles is not an absolute path:"))
        << text;
  }
  EXPECT_THAT(refusal_of_conffiles("/" + std::string(996, 'n') + "\n"), HasSubstr("too long"));
  EXPECT_THAT(refusal_of_conffiles(std::string("/a\0b\n", 5)), HasSubstr("NUL"));
}

TEST(TriggerLists, AreTakenAsDpkgTakesThem) {
  require_sound_triggers(
      "# comment\n\n  \n\tinterest\t/a/b\ninterest-noawait x\nactivate a_b \nactivate-await /\n",
      "a.deb");
  require_sound_triggers("", "a.deb");
}

TEST(TriggerLists, AreRefusedForLinesThatDpkgRefuses) {
  EXPECT_THAT(refusal_of_triggers("interest a"), HasSubstr("has no newline"));
  EXPECT_THAT(refusal_of_triggers("interest\n"), HasSubstr("names no trigger"));
  EXPECT_THAT(refusal_of_triggers("Interest a\n"), HasSubstr("a directive"));
  EXPECT_THAT(refusal_of_triggers("interest a b\n"), HasSubstr("a blank"));
  EXPECT_THAT(refusal_of_triggers("interest a\r\n"), HasSubstr("a blank"));
  for (const char* name : {"a_b", "/", "/a/", "/a//b", "a/b", "-a", "a:b"}) {
    EXPECT_THAT(refusal_of_triggers(std::string("interest ") + name + "\n"),
                HasSubstr("has an invalid trigger name"))
        << name;
  }
  EXPECT_THAT(refusal_of_triggers("interest " + std::string(247, 'n') + "\n"),
              HasSubstr("too long"));
}

}  // namespace
}  // namespace topsctl
