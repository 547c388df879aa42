// The order of installation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using CompatibilityOfOrder = SampleCompatibility;

TEST_F(CompatibilityOfOrder, IsTheStacksThenByName) {
  deb("b", "1").component = "second";
  deb("a", "1").component = "second";
  deb("z", "1").component = "first";
  deb("0-other", "1");
  rules_.component_order = {"first", "second"};
  EXPECT_THAT(order(), ElementsAre("z", "a", "b", "0-other"));
}

TEST_F(CompatibilityOfOrder, PutsWhatIsNeededFirst) {
  deb("a", "1").deb->depends = "c (>= 1), libc6";
  deb("b", "1").deb->pre_depends = "d | c";
  deb("c", "1").deb->depends = "virtual";
  deb("d", "1").deb->provides = "virtual";
  installed("libc6", "2.31");
  EXPECT_THAT(order(), ElementsAre("d", "then", "b", "c", "a"));
}

TEST_F(CompatibilityOfOrder, NeedsNothingOfTheBundleWhereTheTargetHasIt) {
  deb("a", "1").deb->depends = "z | libz";
  deb("z", "1");
  EXPECT_THAT(order(), ElementsAre("z", "a"));
  installed("libz", "1");
  EXPECT_THAT(order(), ElementsAre("a", "z"));
}

TEST_F(CompatibilityOfOrder, NamesCyclesAndKeepsThemTogether) {
  deb("a", "1").deb->depends = "z";
  deb("c", "1").deb->depends = "d";
  deb("d", "1").deb->depends = "e";
  deb("e", "1").deb->depends = "c, z";
  deb("z", "1");
  EXPECT_THAT(order(), ElementsAre("z", "a", "c", "d", "e"));
  EXPECT_THAT(ids(), ElementsAre("dependency-cycle deb/c_1_amd64.deb"));
  EXPECT_EQ(finding("dependency-cycle").severity, Severity::info);
  EXPECT_THAT(evidence("dependency-cycle"),
              ElementsAre("deb/c_1_amd64.deb: Depends: d", "deb/d_1_amd64.deb: Depends: e",
                          "deb/e_1_amd64.deb: Depends: c"));
}

TEST_F(CompatibilityOfOrder, RefusesACycleWithAPreDepends) {
  deb("a", "1").deb->pre_depends = "b";
  deb("b", "1").deb->depends = "a";
  EXPECT_EQ(finding("dependency-cycle").severity, Severity::error);
  EXPECT_THAT(order(), ElementsAre("a", "b"));
  installed("b", "0");
  EXPECT_EQ(finding("dependency-cycle").severity, Severity::info)
      << "the installed version serves until the new one is configured";
}

TEST_F(CompatibilityOfOrder, NeedsACallOfItsOwnForWhatIsPreDependedOn) {
  deb("a", "1").deb->pre_depends = "b (>= 2)";
  deb("b", "2").deb->depends = "c";
  deb("c", "1");
  deb("d", "1");
  EXPECT_THAT(order(), ElementsAre("c", "b", "then", "a", "d"));
  EXPECT_THAT(ids(), ElementsAre("needs-several-calls deb/a_1_amd64.deb"));
  EXPECT_THAT(evidence("needs-several-calls"),
              ElementsAre("deb/a_1_amd64.deb: Pre-Depends: b (>= 2)"));
  installed("b", "1");
  EXPECT_THAT(order(), ElementsAre("c", "b", "then", "a", "d"));
  target_.packages[0].version = "2";
  EXPECT_THAT(order(), ElementsAre("c", "b", "a", "d"));
  EXPECT_THAT(ids(), IsEmpty());
  target_.packages[0].status = dpkg_status("install ok unpacked");
  EXPECT_THAT(order(), ElementsAre("c", "b", "then", "a", "d"));
}

TEST_F(CompatibilityOfOrder, NeedsACallOfItsOwnForWhatOnlyProvidesWhatIsPreDependedOn) {
  deb("a", "1").deb->pre_depends = "virtual";
  deb("b", "2").deb->provides = "virtual";
  installed("b", "1");
  target_.packages[0].provides = "virtual";
  EXPECT_THAT(order(), ElementsAre("b", "then", "a")) << "dpkg asks for one that is configured";
}

TEST_F(CompatibilityOfOrder, CountsCallsAlongAChain) {
  deb("a", "1").deb->pre_depends = "b";
  deb("b", "1").deb->pre_depends = "c";
  deb("c", "1");
  EXPECT_THAT(order(), ElementsAre("c", "then", "b", "then", "a"));
  EXPECT_EQ(finding("needs-several-calls").remedy.text,
            "Install the debs in 3 dpkg runs, in the installation order.");
}

TEST_F(CompatibilityOfOrder, OfAPackageThatProvidesWhatItNeedsIsNoCycle) {
  deb("a", "1").deb->depends = "virtual";
  inspection_.inventory.packages[0].deb->provides = "virtual";
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_THAT(order(), ElementsAre("a"));
}

TEST_F(CompatibilityOfOrder, GivesUpAWishRatherThanADependency) {
  deb("a", "1").deb->breaks = "z (<< 2)";
  deb("z", "2").deb->depends = "a";
  installed("z", "1");
  EXPECT_THAT(order(), ElementsAre("a", "z"));
}

TEST_F(CompatibilityOfOrder, OfALongChainIsFoundWithoutRecursion) {
  constexpr int length = 2000;
  for (int i = 0; i < length; ++i) {
    deb(concat("p", 10000 + i), "1").deb->depends = concat("p", 10001 + i);
  }
  deb(concat("p", 10000 + length), "1");
  const std::vector<std::string> names = order();
  ASSERT_EQ(names.size(), static_cast<std::size_t>(length) + 1);
  EXPECT_TRUE(std::is_sorted(names.rbegin(), names.rend()));
}

}  // namespace
}  // namespace topsctl
