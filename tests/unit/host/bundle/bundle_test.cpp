// Finding the packages of a bundle, whatever else lies around them.
#include "topsctl/host/bundle/bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/archives.hpp"
#include "support/sample_wheel.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string& sample_deb() {
  static const std::string bytes =
      deb_bytes(control_text("tops-eccl", "2.5.136-1"), {{"./usr/x", "y"}});
  return bytes;
}

std::vector<std::string> paths_of(const Inventory& inventory) {
  std::vector<std::string> paths;
  for (const Package& package : inventory.packages) paths.push_back(package.path);
  return paths;
}

TEST(Inventories, HoldEveryPackageInTheOrderOfPaths) {
  const TemporaryFolder folder;
  const SampleWheel wheel = SampleWheel().make_record();
  folder.write("b/second.deb", sample_deb());
  folder.write("a/first.deb", sample_deb());
  folder.write("c/" + wheel.file_name(), wheel.bytes());
  folder.write("c/TopsInstaller.run", "#!/bin/sh\n");
  folder.write("README.md", "text");
  folder.write("c/data.bin", "");
  std::vector<std::string> heard;
  const Inventory inventory = read_inventory(
      files_of_bundle({folder.path()}), [&](const std::string& path) { heard.push_back(path); });
  EXPECT_THAT(paths_of(inventory), ElementsAre("a/first.deb", "b/second.deb", "c/TopsInstaller.run",
                                               "c/" + wheel.file_name()));
  EXPECT_EQ(heard, paths_of(inventory));
  EXPECT_EQ(inventory.other_files, 2U);
  const Package& deb = inventory.packages[0];
  EXPECT_EQ(deb.kind, PackageKind::deb);
  EXPECT_EQ(deb.name, "tops-eccl");
  EXPECT_EQ(deb.location, (folder / "a/first.deb").string());
  EXPECT_EQ(deb.size, sample_deb().size());
  EXPECT_EQ(deb.sha256, "");
  EXPECT_EQ(deb.verdict, Verdict::unknown);
  EXPECT_EQ(inventory.packages[2].kind, PackageKind::runfile);
  EXPECT_EQ(inventory.packages[3].name, "torch_gcu");
}

TEST(Inventories, HoldHiddenFiles) {
  const TemporaryFolder folder;
  folder.write(".hidden/.a.deb", sample_deb());
  EXPECT_THAT(paths_of(read_inventory(files_of_bundle({folder.path()}))),
              ElementsAre(".hidden/.a.deb"));
}

TEST(Inventories, ShowTheSamePathsHoweverTheFolderIsWritten) {
  const TemporaryFolder folder;
  folder.write("bundle/deb/a.deb", sample_deb());
  const std::string path = (folder / "bundle").string();
  for (const std::string& written :
       {path, path + "/", path + "//", path + "/.", path + "/deb/.."}) {
    EXPECT_THAT(paths_of(read_inventory(files_of_bundle({written}))), ElementsAre("deb/a.deb"))
        << written;
  }
}

TEST(Inventories, KnowADebByItsContentWhateverItsName) {
  const TemporaryFolder folder;
  folder.write("package.bin", sample_deb());
  const Inventory inventory = read_inventory(files_of_bundle({folder.path()}));
  EXPECT_EQ(inventory.packages.at(0).name, "tops-eccl");
}

TEST(Inventories, TakeNamesInAnyCase) {
  const TemporaryFolder folder;
  folder.write("A.DEB", sample_deb());
  folder.write("X.RUN", "");
  EXPECT_EQ(read_inventory(files_of_bundle({folder.path()})).packages.size(), 2U);
}

TEST(Inventories, MarkWhatLiesUnderArchivedVersions) {
  const TemporaryFolder folder;
  folder.write("eccl/archived_versions/2.5.87/a.deb", sample_deb());
  folder.write("eccl/my_archived_versions_x/b.deb", sample_deb());
  const Inventory inventory = read_inventory(files_of_bundle({folder.path()}));
  EXPECT_EQ(inventory.packages[0].verdict, Verdict::archived);
  EXPECT_EQ(inventory.packages[1].verdict, Verdict::unknown);
}

TEST(Inventories, ListBrokenPackagesWithTheReason) {
  const TemporaryFolder folder;
  folder.write("a.deb", sample_deb().substr(0, 300));
  folder.write("torch_gcu-1-py3-none-any.whl", "no zip");
  folder.write("archived_versions/c.deb", "");
  const Inventory inventory = read_inventory(files_of_bundle({folder.path()}));
  ASSERT_EQ(inventory.packages.size(), 3U);
  for (const Package& package : inventory.packages) {
    EXPECT_EQ(package.verdict, Verdict::broken) << package.path;
    EXPECT_THAT(package.problem, HasSubstr("cannot read '")) << package.path;
  }
}

TEST(Inventories, OfAnEmptyFolderAreAnError) {
  const TemporaryFolder folder;
  folder.write("README.md", "text");
  const Error error = thrown_by([&] { read_inventory(files_of_bundle({folder.path()})); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_THAT(error.message(), HasSubstr("no package found in '"));
  EXPECT_THAT(error.hint(), HasSubstr(".deb and .whl"));
}

TEST(Inventories, OfAMissingPathAreAnError) {
  const TemporaryFolder folder;
  const Error error = thrown_by([&] { read_inventory(files_of_bundle({folder / "no\nne"})); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_THAT(error.message(), HasSubstr("no such file or directory: '"));
  EXPECT_THAT(error.message(), HasSubstr("no?ne'"));
}

TEST(Inventories, DoNotFollowLinksToFolders) {
  const TemporaryFolder folder;
  folder.write("outside/secret.deb", sample_deb());
  folder.write("bundle/a.deb", sample_deb());
  fs::create_symlink(folder / "outside", folder / "bundle/link");
  fs::create_symlink(".", folder / "bundle/loop");
  EXPECT_THAT(paths_of(read_inventory(files_of_bundle({folder / "bundle"}))), ElementsAre("a.deb"));
}

TEST(Inventories, ShowALinkToAFileUnderItsOwnName) {
  const TemporaryFolder folder;
  folder.write("store/archived_versions/0123abcd", sample_deb());
  folder.make_folder("bundle");
  fs::create_symlink("../store/archived_versions/0123abcd",
                     folder / "bundle/tops-eccl_2.5.136.deb");
  const Inventory inventory = read_inventory(files_of_bundle({folder / "bundle"}));
  ASSERT_EQ(inventory.packages.size(), 1U);
  EXPECT_EQ(inventory.packages[0].path, "tops-eccl_2.5.136.deb");
  EXPECT_EQ(inventory.packages[0].verdict, Verdict::unknown);
}

TEST(Inventories, PassOverDanglingLinksAndSpecialFiles) {
  const TemporaryFolder folder;
  folder.write("a.deb", sample_deb());
  fs::create_symlink("nowhere", folder / "b.deb");
  ASSERT_EQ(::mkfifo((folder / "c.deb").c_str(), 0600), 0);
  folder.make_folder("d.deb");
  EXPECT_THAT(paths_of(read_inventory(files_of_bundle({folder.path()}))), ElementsAre("a.deb"));
}

TEST(Inventories, OfSingleFilesHaveTheirNames) {
  const TemporaryFolder folder;
  folder.write("deep/a.deb", sample_deb());
  folder.write("b.deb", sample_deb());
  EXPECT_THAT(paths_of(read_inventory(files_of_bundle({folder / "deep/a.deb", folder / "b.deb"}))),
              ElementsAre("a.deb", "b.deb"));
}

TEST(Inventories, ShowStrangeNamesHarmless) {
  const TemporaryFolder folder;
  folder.write("a\x1b[31m.deb", sample_deb());
  const Inventory inventory = read_inventory(files_of_bundle({folder.path()}));
  EXPECT_EQ(inventory.packages[0].path, "a?[31m.deb");
  EXPECT_EQ(inventory.packages[0].location, (folder / "a\x1b[31m.deb").string());
}

TEST(ReadPayload, FillsTheFilesOfEachKind) {
  const TemporaryFolder folder;
  const SampleWheel wheel = SampleWheel().make_record();
  folder.write("a.deb", sample_deb());
  folder.write(wheel.file_name(), wheel.bytes());
  Inventory inventory = read_inventory(files_of_bundle({folder.path()}));
  for (Package& package : inventory.packages) {
    EXPECT_FALSE(package.files.has_value());
    read_payload(package);
    EXPECT_TRUE(package.files.has_value());
  }
  EXPECT_EQ(inventory.packages[0].files->at(0).path, "/usr/x");
}

}  // namespace
}  // namespace topsctl
