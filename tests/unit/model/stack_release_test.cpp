// Releases: read out of versions, chosen, and put into stacks.
#include "topsctl/model/stack/stack_release.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_stack.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

Stack t2x() {
  return parse_stack(sample_stack_text(), "the sample");
}

Stack i3x() {
  return parse_stack(*embedded_file("stacks/topsrider-i3x.json"), "the other");
}

Package package(const std::string& name, const std::string& version,
                PackageKind kind = PackageKind::deb) {
  Package made;
  made.kind = kind;
  made.name = name;
  made.version = version;
  return made;
}

TEST(StackReleases, AreNumbersOfVersions) {
  EXPECT_THAT(numbers_of("1.10.0+2.5.136"), ElementsAre("1.10.0", "2.5.136"));
  EXPECT_THAT(numbers_of("0.19.1.115.gcu-2.5.136"), ElementsAre("0.19.1.115", "2.5.136"));
  EXPECT_THAT(numbers_of("1:2.5.20231128-1"), ElementsAre("2.5.20231128"));
  EXPECT_THAT(numbers_of("7"), IsEmpty());
  EXPECT_THAT(numbers_of(""), IsEmpty());
  EXPECT_THAT(numbers_of("..2."), IsEmpty());
}

TEST(StackReleases, LieInRanges) {
  const VersionRange range{"2.0", "3.0"};
  for (const char* number : {"2.0", "2.5.136", "2.10.1", "2.5.20231128"})
    EXPECT_TRUE(is_within(range, number)) << number;
  for (const char* number : {"1.10.0", "3.0", "12.5.136", ""})
    EXPECT_FALSE(is_within(range, number)) << number;
  EXPECT_TRUE(is_within({}, "9"));
}

TEST(StackReleases, AreOneForAllComponents) {
  const Stack stack = at_release(t2x(), "2.4.87");
  EXPECT_EQ(title_of(stack), "topsrider-t2x 2.4.87");
  EXPECT_TRUE(has_version(stack, *stack.component("eccl"), "2.4.87-1"));
  EXPECT_FALSE(has_version(stack, *stack.component("eccl"), "2.5.136-1"));
  EXPECT_TRUE(has_version(stack, *stack.component("torch_gcu"), "1.10.0-2.4.87"));
  EXPECT_FALSE(has_version(stack, *stack.component("torch_gcu"), "2.1.0+2.4.87")) << "of 3.x";
  EXPECT_EQ(wanted_version(stack, *stack.component("sdk")), "2.4.87");
  EXPECT_EQ(at_release(stack, "2.5.136").release, "2.4.87") << "it has one already";
}

TEST(StackReleases, MayBeAnyOfTheRangeUntilOneIsKnown) {
  const Stack stack = t2x();
  EXPECT_TRUE(has_version(stack, *stack.component("eccl"), "2.2.33-1"));
  EXPECT_FALSE(has_version(stack, *stack.component("eccl"), "3.2.203-1"));
  EXPECT_EQ(wanted_version(stack, *stack.component("eccl")), "2.0 or later, below 3.0");
}

TEST(StackReleases, OfSeriesShareTheirFirstNumbers) {
  const Stack stack = at_release(i3x(), "3.5.102");
  EXPECT_TRUE(has_version(stack, *stack.component("eccl"), "3.5.99-1"));
  EXPECT_FALSE(has_version(stack, *stack.component("eccl"), "3.50.1-1"));
  EXPECT_TRUE(has_version(stack, *stack.component("topsfactor"), "3.0.1-1"));
  EXPECT_FALSE(has_version(stack, *stack.component("topsfactor"), "2.9-1"));
  EXPECT_TRUE(has_version(stack, *stack.component("torch_gcu"), "2.7.0"));
}

TEST(StackReleases, AreFoundByPackages) {
  const auto found = [](std::vector<FoundVersion> versions, const std::string& declared = "") {
    return release_of(t2x(), versions, declared);
  };
  EXPECT_EQ(found({{"eccl", "", "2.4.87-1"}, {"torch_gcu", "", "1.10.0+2.4.87"}}).release,
            "2.4.87");
  EXPECT_FALSE(found({}).release);
  EXPECT_FALSE(found({}, "2.4.87").release) << "nothing is of it";
  // An older package beside a complete release.
  EXPECT_EQ(found({{"eccl", "", "2.4.87-1"}, {"eccl", "", "2.5.136-1"}, {"sdk", "", "2.5.136-1"}})
                .release,
            "2.5.136");
  const std::vector<FoundVersion> both = {{"eccl", "", "2.10.1-1"}, {"eccl", "", "2.9.1-1"}};
  EXPECT_THAT(found(both).several, ElementsAre("2.9.1", "2.10.1"));
  EXPECT_EQ(found(both, "2.9.1").release, "2.9.1") << "the bundle says which";
  EXPECT_THAT(found(both, "2.8.1").several, ElementsAre("2.9.1", "2.10.1"));
  EXPECT_THAT(found({{"eccl", "a", "2.4.87-1"}, {"sdk", "b", "2.5.136-1"}}).mixed,
              ElementsAre(Pair("2.4.87", "a"), Pair("2.5.136", "b")));
}

TEST(StackReleases, OfSeriesAreThoseThatTheBundleSays) {
  const std::vector<FoundVersion> found = {{"eccl", "a", "3.5.99-1"}, {"sdk", "b", "3.5.100-1"}};
  EXPECT_EQ(release_of(i3x(), found, "3.5.102").release, "3.5.102");
  EXPECT_EQ(release_of(i3x(), found, "").release, "3.5.99") << "the first component's";
  EXPECT_EQ(release_of(i3x(), found, "3.2.203").release, "3.5.99") << "no package is of 3.2";
  EXPECT_THAT(release_of(i3x(), {{"eccl", "a", "3.5.1-1"}, {"sdk", "b", "3.2.1-1"}}, "").mixed,
              ElementsAre(Pair("3.2.1", "b"), Pair("3.5.1", "a")));
}

TEST(StackReleases, StandInTheSetupFile) {
  EXPECT_EQ(release_in_setup(R"({"version": "2.5.136", "components": []})"), "2.5.136");
  for (const char* text : {"", "[]", "{}", "{\"version\": 2.5}", "{\"version\": \"2.5.136-1\"}",
                           "{\"version\": \"latest\"}", "{\"version\": \"1.0 2.0\"}"})
    EXPECT_EQ(release_in_setup(text), "") << text;
}

TEST(ResolvedStacks, PassOverArchivedPackages) {
  Inventory inventory;
  inventory.packages = {package("tops-eccl", "2.5.136-1"), package("tops-sdk", "2.4.87-1")};
  inventory.packages[1].verdict = Verdict::archived;
  EXPECT_EQ(resolved(t2x(), inventory).release, "2.5.136");
  inventory.packages[1].verdict = Verdict::unknown;
  const Error error = thrown_by([&] { resolved(t2x(), inventory); });
  EXPECT_EQ(error.message(),
            "the bundle mixes releases of 'topsrider-t2x': tops-sdk 2.4.87-1, "
            "tops-eccl 2.5.136-1");
  EXPECT_THAT(error.hint(), HasSubstr("--stack topsrider-t2x@2.5.136"));
  EXPECT_EQ(resolved(at_release(t2x(), "2.4.87"), inventory).release, "2.4.87");
}

TEST(UntestedReleases, AreTold) {
  EXPECT_TRUE(is_tested(at_release(t2x(), "2.5.136")));
  EXPECT_TRUE(is_tested(t2x()));
  EXPECT_FALSE(is_tested(at_release(t2x(), "2.4.87")));
  EXPECT_EQ(untested_release(at_release(t2x(), "2.4.87")),
            "release 2.4.87 of topsrider-t2x is untested (tested: 2.5.136)");
  EXPECT_EQ(untested_release(at_release(i3x(), "3.5.1")),
            "release 3.5.1 of topsrider-i3x is untested (tested: none)");
}

}  // namespace
}  // namespace topsctl
