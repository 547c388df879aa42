// Entry points: those of commands, and each way in which some pip crashes on the file.
#include "topsctl/host/python/entry_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<EntryPoint> scripts(const std::string& text) {
  const EntryPoints found = read_entry_points(text);
  EXPECT_THAT(found.faults, IsEmpty()) << text;
  return found.scripts;
}

WheelFault fault(const std::string& text) {
  const EntryPoints found = read_entry_points(text);
  EXPECT_THAT(found.faults, SizeIs(1)) << text;
  return found.faults.empty() ? WheelFault() : found.faults.front();
}

TEST(EntryPoints, AreThoseOfCommands) {
  EXPECT_THAT(scripts("[console_scripts]\n# c = d:e\na-b = m.n:main\n c=m:C.run [x, y-z]\n\n"
                      "[other]\nnot = this\n[gui_scripts]\r\nview = v:w\r\n"),
              ElementsAre(EntryPoint{"a-b", "m.n", "main"}, EntryPoint{"c", "m", "C.run"},
                          EntryPoint{"view", "v", "w"}));
  EXPECT_THAT(scripts("[console_scripts]\na = m:first\n[gui_scripts]\na = m:second\n"),
              ElementsAre(EntryPoint{"a", "m", "second"}));
  EXPECT_THAT(scripts("[gui_scripts]\ra = m:f\r"), ElementsAre(EntryPoint{"a", "m", "f"}));
  EXPECT_THAT(scripts(""), IsEmpty());
}

TEST(EntryPoints, OfOtherGroupsMayBeModules) {
  EXPECT_THAT(scripts("[a.plugins]\nx = m\ny y = m.n : f.g [z]\n"), IsEmpty());
}

TEST(EntryPoints, ThatNameNoCallableAreFaults) {
  for (const char* value : {"m", "m:", ":f", "m:f g", "m:f()", "m;import os:f", "m:1f", "m..n:f",
                            "m : f", "m:f:g", "m:f [x", "m:f x]", "m:f [x y]", ""}) {
    const EntryPoints found = read_entry_points(std::string("[console_scripts]\na = ") + value);
    EXPECT_THAT(found.scripts, IsEmpty()) << value;
    EXPECT_THAT(
        found.faults,
        ElementsAre(Field(&WheelFault::why, HasSubstr("it is not a callable (module:function)"))))
        << value;
  }
}

TEST(EntryPoints, OfAStrangeNameAreFaults) {
  for (const char* name : {"", ".", "a/b", "a b", "a\x1b"}) {
    const WheelFault found = fault(std::string("[console_scripts]\n") + name + " = m:f\n");
    EXPECT_THAT(found.why, HasSubstr("it is not a valid command name")) << name;
    EXPECT_EQ(found.finding, "wheel-malformed");
  }
  EXPECT_THAT(fault("[console_scripts]\n" + std::string(256, 'x') + " = m:f\n").why,
              HasSubstr("it is not a valid command name"));
}

TEST(EntryPoints, ThatWouldBeWrittenElsewhereAreAttacks) {
  for (const char* name : {"../../evil", "/tmp/evil", "..", "a/../b"}) {
    const EntryPoints found = read_entry_points(std::string("[gui_scripts]\n") + name + " = m:f\n");
    EXPECT_THAT(found.scripts, IsEmpty()) << name;
    EXPECT_THAT(found.faults, ElementsAre(Field(&WheelFault::finding, "entry-escapes"))) << name;
  }
}

TEST(EntryPoints, ThatAreThereTwiceAreFaults) {
  EXPECT_THAT(fault("[console_scripts]\na = m:f\na = m:f\n").why,
              HasSubstr("the name is duplicated in"));
  EXPECT_THAT(fault("[x]\na = m\na = n\n").why, HasSubstr("the name is duplicated in"));
  EXPECT_THAT(fault("[x]\na = m\n[y]\na = m\n[x]\nb = m\n").why,
              HasSubstr("the group is duplicated"));
}

TEST(EntryPoints, WithLinesThatAreNoneAreFaults) {
  EXPECT_THAT(fault("a = m:f\n").why, HasSubstr("belongs to no group"));
  EXPECT_THAT(fault("[x]\n; words\n").why, HasSubstr("has no '='"));
  for (const char* group : {"[x", "[]", "[a b]", "[a]b", "[a..b]"}) {
    EXPECT_THAT(fault(std::string(group) + "\n").why, HasSubstr("it is not a group header"))
        << group;
  }
  EXPECT_THAT(fault("[x]\na = words and more\n").why,
              HasSubstr("it is not an object reference (module:attribute)"));
  EXPECT_THAT(fault("# \xe9\n").why, HasSubstr("not UTF-8"));
}

TEST(EntryPoints, TellOfTwentyFaultsAtMost) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "words\n";
  EXPECT_THAT(read_entry_points(text).faults, SizeIs(20));
}

}  // namespace
}  // namespace topsctl
