// Reading bundles of folders, files and archives in archives.
#include "topsctl/host/bundle/bundle_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/archives.hpp"
#include "support/programs.hpp"
#include "support/sample_wheel.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string deb(const std::string& name) {
  return deb_bytes(control_text(name, "2.5.136-1"), {{"./usr/lib/" + name, "bytes"}});
}

Inspection read(const fs::path& path, Depth depth = Depth::deep, unsigned threads = 2) {
  BundleReading reading;
  reading.depth = depth;
  reading.threads = threads;
  return read_bundle(files_of_bundle({path}), reading);
}

// Every package as "outer > path name".
std::vector<std::string> packages_of(const Inspection& inspection) {
  std::vector<std::string> found;
  for (const Package& package : inspection.inventory.packages) {
    std::vector<std::string> parts = package.container;
    parts.push_back(package.path);
    found.push_back(concat(joined(parts, " > "), " ", package.name));
  }
  return found;
}

std::string gzipped(const std::string& bytes) {
  return output_of({"gzip", "-nc"}, bytes);
}

TEST(Bundles, AreReadThroughArchivesInArchives) {
  const TemporaryFolder folder;
  const SampleWheel wheel = SampleWheel().make_record();
  const std::string inner = tar_bytes({{"deep/c.deb", deb("c")}, {"notes.txt", "x"}});
  const std::string zip = zip_bytes({{"b.deb", deb("b")}, {wheel.file_name(), wheel.bytes()}});
  const std::string outer = gzipped(
      tar_bytes({{"./a.deb", deb("a")}, {"./inner.tar.gz", gzipped(inner)}, {"./more.zip", zip}}));
  folder.write("bundle/all.tar.gz", outer);
  folder.write("bundle/z.deb", deb("z"));
  const Inspection found = read(folder / "bundle");
  EXPECT_THAT(
      packages_of(found),
      ElementsAre("all.tar.gz > a.deb a", "all.tar.gz > inner.tar.gz > deep/c.deb c",
                  "all.tar.gz > more.zip > b.deb b",
                  "all.tar.gz > more.zip > " + wheel.file_name() + " torch_gcu", "z.deb z"));
  ASSERT_THAT(found.containers, SizeIs(3));
  EXPECT_EQ(found.containers[0].path, "all.tar.gz");
  EXPECT_EQ(found.containers[0].compression, "gzip");
  EXPECT_EQ(found.containers[0].sha256, sha256_of(outer));
  EXPECT_EQ(found.containers[0].size, outer.size());
  for (const ContainerFile& container : found.containers) EXPECT_EQ(container.problem, "");
  EXPECT_EQ(found.inventory.other_files, 1U);
  for (const Package& package : found.inventory.packages) {
    EXPECT_NE(package.verdict, Verdict::broken) << package.problem;
    EXPECT_TRUE(package.files.has_value());
  }
  EXPECT_EQ(found.inventory.packages[0].sha256, sha256_of(deb("a")));
  EXPECT_EQ(found.inventory.packages[0].size, deb("a").size());
  EXPECT_EQ(found.inventory.packages[3].sha256, sha256_of(wheel.bytes()));
  EXPECT_THAT(found.contents, SizeIs(5));
}

TEST(Bundles, AreTheSameWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
    folder.write(concat("bundle/", name, ".deb"), deb(name));
  }
  const std::vector<std::string> one = packages_of(read(folder / "bundle", Depth::deep, 1));
  EXPECT_THAT(one, SizeIs(6));
  for (const unsigned threads : {2U, 3U, 16U}) {
    EXPECT_EQ(packages_of(read(folder / "bundle", Depth::deep, threads)), one);
  }
}

TEST(Bundles, AreReadAsFarAsTheDepthSays) {
  const TemporaryFolder folder;
  const std::string bytes = deb_bytes(control_text("a", "1"), {{"./usr/a", "x"}},
                                      "9dd4e461268c8034f5c8564e155c67a6  usr/a\n");
  folder.write("a.deb", bytes);
  const Inspection fast = read(folder / "a.deb", Depth::fast);
  EXPECT_EQ(fast.inventory.packages[0].sha256, "");
  EXPECT_EQ(fast.inventory.packages[0].size, bytes.size());
  EXPECT_TRUE(fast.inventory.packages[0].files_are_claims);
  EXPECT_THAT(*fast.inventory.packages[0].files, SizeIs(1));
  const Inspection digest = read(folder / "a.deb", Depth::digest);
  EXPECT_EQ(digest.inventory.packages[0].sha256, sha256_of(bytes));
  EXPECT_TRUE(digest.contents.empty());
  const Inspection deep = read(folder / "a.deb");
  EXPECT_EQ(deep.inventory.packages[0].sha256, sha256_of(bytes));
  EXPECT_FALSE(deep.inventory.packages[0].files_are_claims);
  EXPECT_EQ(deep.contents.at(0).files_checked, 1U);
}

TEST(DamagedPackages, AreListedWithTheDigestOfAllTheirBytes) {
  const TemporaryFolder folder;
  const std::string whole = deb("a");
  const std::string cut = whole.substr(0, whole.size() - 1500);
  folder.write("bundle/a.deb", cut);
  folder.write("bundle/b.deb", deb("b"));
  folder.write("bundle/c.whl", "no zip");
  const Inspection found = read(folder / "bundle");
  const std::vector<Package>& packages = found.inventory.packages;
  ASSERT_THAT(packages, SizeIs(3));
  EXPECT_EQ(packages[0].verdict, Verdict::broken);
  EXPECT_EQ(packages[0].sha256, sha256_of(cut));
  EXPECT_EQ(packages[1].verdict, Verdict::unknown);
  EXPECT_EQ(packages[2].verdict, Verdict::broken);
  EXPECT_EQ(packages[2].sha256, sha256_of("no zip"));
  EXPECT_THAT(found.contents, SizeIs(1));
}

TEST(DamagedArchives, AreListedWithWhatCouldBeRead) {
  const TemporaryFolder folder;
  const std::string whole = tar_bytes({{"a.deb", deb("a")}, {"b.deb", deb("b")}});
  folder.write("cut.tar", whole.substr(0, whole.size() - 4000));
  const Inspection found = read(folder / "cut.tar");
  EXPECT_THAT(found.containers[0].problem, HasSubstr("cannot read 'cut.tar'"));
  EXPECT_EQ(found.inventory.packages.front().name, "a");
}

TEST(DamagedArchives, AreThoseWithNamesThatPointOut) {
  const TemporaryFolder folder;
  folder.write("evil.tar", tar_bytes({{"../../etc/a.deb", deb("a")}}));
  EXPECT_THAT(read(folder / "evil.tar").containers[0].problem,
              HasSubstr("points outside the archive"));
}

TEST(DamagedArchives, AreThoseNestedTooDeep) {
  const TemporaryFolder folder;
  std::string bytes = tar_bytes({{"a.deb", deb("a")}});
  for (int depth = 0; depth < 7; ++depth) bytes = tar_bytes({{"inner.tar", bytes}});
  folder.write("eight.tar", bytes);
  EXPECT_THAT(packages_of(read(folder / "eight.tar")), SizeIs(1));
  folder.write("nine.tar", tar_bytes({{"inner.tar", bytes}}));
  const Inspection found = read(folder / "nine.tar");
  EXPECT_THAT(packages_of(found), IsEmpty());
  EXPECT_THAT(found.containers.back().problem, HasSubstr("is nested in more than 8 archives"));
}

TEST(Bundles, MayHoldArchivedVersionsThatAreNeverChosen) {
  const TemporaryFolder folder;
  folder.write("bundle/archived_versions/a.deb", deb("a"));
  folder.write("bundle/x.tar", tar_bytes({{"archived_versions/b.deb", deb("b")}}));
  for (const Package& package : read(folder / "bundle").inventory.packages) {
    EXPECT_EQ(package.verdict, Verdict::archived) << package.path;
  }
}

TEST(Bundles, TellWhichVariablesTheirScriptsSet) {
  const TemporaryFolder folder;
  folder.write("bundle/a.deb", deb("a"));
  folder.write("bundle/run.sh", "export ECCL_MAX_NCHANNELS=2\n");
  folder.write("bundle/x.tar", tar_bytes({{"b.sh", "export ECCL_MAX_NCHANNELS=2\n"}}));
  EXPECT_EQ(read(folder / "bundle").settings.at({"ECCL_MAX_NCHANNELS", "2"}), 2U);
  EXPECT_TRUE(read(folder / "bundle", Depth::digest).settings.empty());
}

TEST(Bundles, TellHowFarTheReadingIs) {
  const TemporaryFolder folder;
  std::string noise;
  for (unsigned i = 0, x = 1; i < 9U << 20U; ++i) {
    noise.push_back(static_cast<char>((x = x * 75 + 74) >> 7U));
  }
  folder.write("a.tar", tar_bytes({{"a.deb", deb("a")}, {"noise", noise}}));
  BundleReading reading;
  std::vector<std::string> files;
  std::vector<std::uint64_t> done;
  reading.on_file = [&](const std::string& path) { files.push_back(path); };
  reading.on_bytes = [&](std::uint64_t bytes, std::uint64_t total) {
    EXPECT_GT(total, noise.size());
    done.push_back(bytes);
  };
  read_bundle(files_of_bundle({folder / "a.tar"}), reading);
  EXPECT_THAT(files, ElementsAre("a.tar", "a.tar > a.deb"));
  EXPECT_GE(done.size(), 2U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST(Bundles, WithoutAnyPackageOrArchiveAreRefused) {
  const TemporaryFolder folder;
  folder.write("bundle/readme.txt", "x");
  EXPECT_EQ(thrown_by([&] { read(folder / "bundle"); }).code(), ErrorCode::bad_bundle);
  EXPECT_EQ(thrown_by([&] { read(folder / "none"); }).code(), ErrorCode::bad_bundle);
}

}  // namespace
}  // namespace topsctl
