// Where stacks come from, and which one a bundle holds.
#include "topsctl/host/bundle/stacks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_stack.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/model/stack/stack_release.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

TEST(KnownStacks, HoldThoseOfTheBinary) {
  EXPECT_THAT(known_stacks(), Contains(Field(&Stack::name, "topsrider-t2x")));
}

TEST(LoadStack, TakesAKnownName) {
  EXPECT_EQ(load_stack("topsrider-t2x").components.size(), 4U);
}

TEST(LoadStack, HintsAtTheNearestNameAndListsAll) {
  const Error error = thrown_by([] { load_stack("topsrider-t2y"); });
  EXPECT_EQ(error.code(), ErrorCode::bad_stack);
  EXPECT_EQ(error.message(), "unknown stack 'topsrider-t2y' (did you mean 'topsrider-t2x'?)");
  EXPECT_THAT(error.hint(), HasSubstr("known stacks: topsrider-i3x, topsrider-t2x"));
}

TEST(LoadStack, TakesAFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("mine.json", with(sample_stack_text(), "topsrider-t2x", "mine"));
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
  const std::string file = (folder / "none.json").string();
  const Error error = thrown_by([&] { load_stack(file); });
  EXPECT_EQ(error.code(), ErrorCode::bad_stack);
  EXPECT_EQ(error.message(), "no such stack file: '" + file + "'");
  folder.write("nome.json", "");
  EXPECT_EQ(thrown_by([&] { load_stack(file); }).message(),
            "no such stack file: '" + file + "' (did you mean '" + (folder / "nome.json").string() +
                "'?)");
  EXPECT_EQ(thrown_by([&] { load_stack(folder.path().string()); }).code(), ErrorCode::bad_stack);
  EXPECT_EQ(thrown_by([] { load_stack("none.json"); }).message(),
            "no such stack file: 'none.json'");
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
  EXPECT_EQ(title_of(matching_stack(complete_inventory())), "topsrider-t2x 2.5.136");
}

TEST(MatchingStack, NamesWhatIsWantedAndWhatWasFound) {
  Inventory inventory = complete_inventory();
  inventory.packages[0].version = "4.0.1-1";
  inventory.packages[1].verdict = Verdict::archived;
  const Error error = thrown_by([&] { matching_stack(inventory); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_EQ(error.message(),
            "the bundle has no complete stack; the closest is topsrider-t2x\neccl: expected "
            "tops-eccl or eccl 2.0 or later, below 3.0, found tops-eccl 4.0.1-1\nsdk: expected "
            "tops-sdk 2.0 or later, below 3.0, found tops-sdk 2.5.136-1 (archived)\ntopsfactor: "
            "expected topsfactor 2.0 or later, below 3.0, found topsfactor 2.5.136-1\ntorch_gcu: "
            "expected torch_gcu 2.0 or later, below 3.0, found torch_gcu 1.10.0+2.5.136");
}

TEST(MatchingStack, RefusesMixedReleases) {
  Inventory inventory = complete_inventory();
  inventory.packages[0].version = "2.5.87-1";
  const Error error = thrown_by([&] { matching_stack(inventory); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_THAT(error.message(), HasSubstr("mixes releases of 'topsrider-t2x': tops-sdk 2.5.136-1, "
                                         "tops-eccl 2.5.87-1"));
}

TEST(LoadStack, TakesAReleaseOfItsRange) {
  EXPECT_EQ(title_of(load_stack("topsrider-t2x@2.4.87")), "topsrider-t2x 2.4.87");
  for (const char* release : {"3.0", "2", "2.5.136-1", ""}) {
    const Error error = thrown_by([&] { load_stack(std::string("topsrider-t2x@") + release); });
    EXPECT_EQ(error.code(), ErrorCode::bad_stack) << release;
    EXPECT_EQ(error.hint(), "its releases: 2.0 or later, below 3.0");
  }
  EXPECT_EQ(thrown_by([] { load_stack("vccl-2.26.6@2.26"); }).message(),
            "stack 'vccl-2.26.6' has no releases");
}

TEST(MatchingStack, TakesABrokenPackageForThere) {
  Inventory inventory = complete_inventory();
  inventory.packages[0] = package(PackageKind::deb, "", "");
  inventory.packages[0].verdict = Verdict::broken;
  inventory.packages[0].path = "deb/tops-eccl_2.5.136-1_amd64.deb";
  EXPECT_EQ(matching_stack(inventory).name, "topsrider-t2x");
}

}  // namespace
}  // namespace topsctl
