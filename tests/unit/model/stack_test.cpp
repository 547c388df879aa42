// Which package counts as which component.
#include "topsctl/model/stack/stack.hpp"

#include <gtest/gtest.h>

#include "support/sample_stack.hpp"

namespace topsctl {
namespace {

TEST(VersionContains, LooksForWholeNumbers) {
  EXPECT_TRUE(version_contains("2.5.136", "2.5.136"));
  EXPECT_TRUE(version_contains("2.5.136-1", "2.5.136"));
  EXPECT_TRUE(version_contains("1:2.5.136-1", "2.5.136"));
  EXPECT_TRUE(version_contains("1.10.0+2.5.136", "2.5.136"));
  EXPECT_TRUE(version_contains("1.10.0-2.5.136", "2.5.136"));
  EXPECT_TRUE(version_contains("1.10.0+gcu2.5.136", "2.5.136"));
  EXPECT_TRUE(version_contains("12.5.136-2.5.136", "2.5.136")) << "the second place counts too";
  EXPECT_FALSE(version_contains("12.5.136", "2.5.136"));
  EXPECT_FALSE(version_contains("2.5.1360", "2.5.136"));
  EXPECT_FALSE(version_contains("3.2.5.136", "2.5.136"));
  EXPECT_FALSE(version_contains("2.5.13", "2.5.136"));
  EXPECT_FALSE(version_contains("2.5.87-1", "2.5.136"));
  EXPECT_FALSE(version_contains("", "2.5.136"));
}

// A component without a version takes any; its checks ask the same question.
TEST(VersionContains, IsTrueForNoWishAtAll) {
  EXPECT_TRUE(version_contains("2.5.136", ""));
  EXPECT_TRUE(version_contains("", ""));
}

TEST(NormalizedName, FoldsCaseAndSeparators) {
  EXPECT_EQ(normalized_name("Torch_GCU"), "torch-gcu");
  EXPECT_EQ(normalized_name("torch-gcu"), "torch-gcu");
  EXPECT_EQ(normalized_name("a.-_b"), "a-b");
  EXPECT_EQ(normalized_name(""), "");
}

Package package(PackageKind kind, const std::string& name, const std::string& version) {
  Package made;
  made.kind = kind;
  made.name = name;
  made.version = version;
  return made;
}

TEST(MatchingComponent, KnowsBothNamesOfEccl) {
  const Stack stack = sample_stack();
  for (const char* name : {"tops-eccl", "eccl"}) {
    const Component* found =
        matching_component(stack, package(PackageKind::deb, name, "2.5.136-1"));
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->id, "eccl");
  }
}

TEST(MatchingComponent, ComparesDebNamesExactlyAndWheelNamesNormalised) {
  const Stack stack = sample_stack();
  EXPECT_EQ(matching_component(stack, package(PackageKind::deb, "tops_eccl", "2.5.136-1")),
            nullptr);
  const Component* wheel =
      matching_component(stack, package(PackageKind::wheel, "Torch-GCU", "1.10.0+2.5.136"));
  ASSERT_NE(wheel, nullptr);
  EXPECT_EQ(wheel->id, "torch_gcu");
}

TEST(MatchingComponent, WantsTheRightKindAndVersion) {
  const Stack stack = sample_stack();
  EXPECT_EQ(matching_component(stack, package(PackageKind::wheel, "tops-sdk", "2.5.136")), nullptr);
  EXPECT_EQ(matching_component(stack, package(PackageKind::deb, "tops-sdk", "2.5.87-1")), nullptr);
}

TEST(MatchingComponent, TakesAnyVersionWhereTheStackNamesNone) {
  Stack stack = sample_stack();
  stack.components[1].version.clear();
  EXPECT_EQ(matching_component(stack, package(PackageKind::deb, "tops-sdk", "9")),
            &stack.components[1]);
}

TEST(IsNamedLike, GoesByTheFileNameAndTheKind) {
  const Stack stack = sample_stack();
  const Component& eccl = *stack.component("eccl");
  Package broken = package(PackageKind::deb, "", "");
  for (const char* path : {"tops-eccl_2.5.136-1_amd64.deb", "a/b/eccl_1.deb", "tops_eccl.deb"}) {
    broken.path = path;
    EXPECT_EQ(is_named_like(eccl, broken), std::string(path) != "tops_eccl.deb") << path;
  }
  broken.path = "tops-eccl-extra_1.deb";
  EXPECT_FALSE(is_named_like(eccl, broken));
  broken = package(PackageKind::wheel, "", "");
  broken.path = "w/torch_gcu-1.10.0-py3.8-none-any.whl";
  EXPECT_TRUE(is_named_like(*stack.component("torch_gcu"), broken));
  EXPECT_FALSE(is_named_like(eccl, broken));
}

TEST(Names, OfGradesAndRungsAreThoseOfTheStackFile) {
  EXPECT_EQ(name(Grade::attested), "attested");
  EXPECT_EQ(name(Grade::guide), "guide");
  EXPECT_EQ(name(CheckLevel::files), "files");
  EXPECT_EQ(name(CheckLevel::load), "load");
  EXPECT_EQ(name(CheckLevel::import), "import");
  EXPECT_EQ(name(CheckLevel::device), "device");
  EXPECT_EQ(name(CheckLevel::single), "single");
  EXPECT_EQ(name(CheckLevel::ranks), "ranks");
  EXPECT_EQ(name(CheckLevel::perf), "perf");
}

}  // namespace
}  // namespace topsctl
