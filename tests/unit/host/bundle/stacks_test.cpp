// Where stacks come from, and which one a bundle holds.
#include "topsctl/host/bundle/stacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_stack.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

TEST(KnownStacks, HoldThoseOfTheBinary) {
  EXPECT_THAT(known_stacks(), Contains(Field(&Stack::name, "topsrider-2.5.136")));
}

TEST(LoadStack, TakesAKnownName) {
  EXPECT_EQ(load_stack("topsrider-2.5.136").components.size(), 4U);
}

TEST(LoadStack, HintsAtTheNearestNameAndListsAll) {
  const Error error = thrown_by([] { load_stack("topsrider-2.5.137"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_stack);
  EXPECT_EQ(error.message(),
            "unknown stack 'topsrider-2.5.137' (did you mean 'topsrider-2.5.136'?)");
  EXPECT_THAT(error.hint(), HasSubstr("known stacks: topsrider-2.5.136"));
}

TEST(LoadStack, TakesAFile) {
  const TemporaryFolder folder;
  const auto file =
      folder.write("mine.json", with(sample_stack_text(), "topsrider-2.5.136", "mine"));
  EXPECT_EQ(load_stack(file.string()).name, "mine");
}

TEST(LoadStack, NamesTheFileThatIsWrong) {
  const TemporaryFolder folder;
  const auto file = folder.write("mine.json", "{}");
  EXPECT_EQ(thrown_by([&] { load_stack(file.string()); }).message(),
            "cannot read stack '" + file.string() + "': /: missing key 'schema'");
}

TEST(LoadStack, SaysThatThereIsNoFile) {
  const TemporaryFolder folder;
  for (const std::string& file : {(folder / "none.json").string(), folder.path().string()}) {
    const Error error = thrown_by([&] { load_stack(file); });
    EXPECT_EQ(error.code(), ErrorCode::bad_stack);
    EXPECT_EQ(error.message(), "no stack file '" + file + "'");
  }
  EXPECT_EQ(thrown_by([] { load_stack("none.json"); }).message(), "no stack file 'none.json'");
}

Package package(PackageKind kind, const std::string& name, const std::string& version) {
  Package made;
  made.kind = kind;
  made.name = name;
  made.version = version;
  return made;
}

Inventory complete_inventory() {
  Inventory inventory;
  inventory.packages = {package(PackageKind::deb, "tops-eccl", "2.5.136-1"),
                        package(PackageKind::deb, "tops-sdk", "2.5.136-1"),
                        package(PackageKind::deb, "topsfactor", "2.5.136-1"),
                        package(PackageKind::wheel, "torch_gcu", "1.10.0+2.5.136")};
  return inventory;
}

TEST(MatchingStack, IsTheOneTheBundleHolds) {
  EXPECT_EQ(matching_stack(complete_inventory()).name, "topsrider-2.5.136");
}

TEST(MatchingStack, NamesWhatIsMissing) {
  Inventory inventory = complete_inventory();
  inventory.packages[0].version = "2.5.87-1";
  inventory.packages[1].verdict = Verdict::archived;
  const Error error = thrown_by([&] { matching_stack(inventory); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_EQ(error.message(),
            "the bundle holds no complete stack: 'topsrider-2.5.136' lacks eccl, sdk");
}

TEST(MatchingStack, TakesABrokenPackageForThere) {
  Inventory inventory = complete_inventory();
  inventory.packages[0] = package(PackageKind::deb, "", "");
  inventory.packages[0].verdict = Verdict::broken;
  inventory.packages[0].path = "deb/tops-eccl_2.5.136-1_amd64.deb";
  EXPECT_EQ(matching_stack(inventory).name, "topsrider-2.5.136");
}

}  // namespace
}  // namespace topsctl
