// Upper layers, made by hand as overlayfs leaves them.
#include "topsctl/host/filesystem/upper_layer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <map>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using LayerKind = LayerChange::Kind;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class UpperLayers : public testing::Test {
 protected:
  std::map<std::string, LayerKind> kinds() const {
    std::map<std::string, LayerKind> kinds;
    for (const LayerChange& change : changes()) kinds.emplace(change.path, change.kind);
    return kinds;
  }
  std::vector<LayerChange> changes() const {
    return read_upper_layer(folder_ / "upper", folder_ / "lower");
  }
  bool whiteout(const char* name) const {
    fs::create_directories((folder_ / name).parent_path());
    return ::mknod((folder_ / name).c_str(), S_IFCHR, makedev(0, 0)) == 0;
  }
  bool make_opaque(const char* name) const {
    return ::setxattr((folder_ / name).c_str(), "trusted.overlay.opaque", "y", 1, 0) == 0;
  }

  TemporaryFolder folder_;
};

TEST_F(UpperLayers, OfWhichNothingWasWrittenAreEmpty) {
  folder_.write("lower/etc/old", "x");
  folder_.make_folder("upper");
  EXPECT_THAT(changes(), IsEmpty());
}

TEST_F(UpperLayers, HoldWhatWasMadeAndChanged) {
  folder_.write("lower/etc/old", "x");
  folder_.write("upper/etc/old", "y");
  folder_.write("upper/etc/new", "z");
  folder_.write("upper/opt/sub/file", "z");
  ASSERT_EQ(::symlink("nowhere", (folder_ / "upper/etc/link").c_str()), 0);
  EXPECT_THAT(
      kinds(),
      ElementsAre(Pair("/etc/link", LayerKind::made), Pair("/etc/new", LayerKind::made),
                  Pair("/etc/old", LayerKind::changed), Pair("/opt", LayerKind::made),
                  Pair("/opt/sub", LayerKind::made), Pair("/opt/sub/file", LayerKind::made)));
}

TEST_F(UpperLayers, HaveFoldersOfUnchangedAttributesForWhatIsInThem) {
  folder_.write("lower/etc/same/old", "x");
  folder_.write("lower/etc/mode/old", "x");
  folder_.write("upper/etc/same/old", "y");
  folder_.make_folder("upper/etc/mode");
  ::chmod((folder_ / "upper/etc/mode").c_str(), 0700);
  EXPECT_THAT(kinds(), ElementsAre(Pair("/etc/mode", LayerKind::changed),
                                   Pair("/etc/same/old", LayerKind::changed)));
}

TEST_F(UpperLayers, SayByWhiteoutsWhatWasRemovedWithAllBelowIt) {
  if (!whiteout("upper/opt/gone")) GTEST_SKIP() << "needs root: it makes devices";
  ASSERT_TRUE(whiteout("upper/opt/file"));
  ASSERT_TRUE(whiteout("upper/opt/never-was"));
  folder_.write("lower/opt/gone/inner/x", "x");
  folder_.write("lower/opt/file", "x");
  EXPECT_THAT(kinds(), ElementsAre(Pair("/opt/file", LayerKind::removed),
                                   Pair("/opt/gone", LayerKind::removed),
                                   Pair("/opt/gone/inner", LayerKind::removed),
                                   Pair("/opt/gone/inner/x", LayerKind::removed)));
}

TEST_F(UpperLayers, HideBehindOpaqueFoldersWhatTheyDoNotHave) {
  folder_.write("lower/opt/again/old", "x");
  folder_.write("lower/opt/again/both", "x");
  folder_.write("upper/opt/again/both", "y");
  if (!make_opaque("upper/opt/again")) GTEST_SKIP() << "needs root: it sets trusted attributes";
  EXPECT_THAT(kinds(), ElementsAre(Pair("/opt/again", LayerKind::changed),
                                   Pair("/opt/again/both", LayerKind::changed),
                                   Pair("/opt/again/old", LayerKind::removed)));
}

TEST_F(UpperLayers, TellOfAFolderThatBecameAFileAndOfAFileThatBecameAFolder) {
  folder_.write("lower/opt/folder/x", "x");
  folder_.write("lower/opt/file", "x");
  folder_.write("upper/opt/folder", "x");
  folder_.write("upper/opt/file/y", "x");
  EXPECT_THAT(kinds(), ElementsAre(Pair("/opt/file", LayerKind::changed),
                                   Pair("/opt/file/y", LayerKind::made),
                                   Pair("/opt/folder", LayerKind::changed),
                                   Pair("/opt/folder/x", LayerKind::removed)));
}

TEST_F(UpperLayers, CountTheBytesOfAFileOnceAndOfWhatOtherNamesKeepNone) {
  folder_.write("lower/old", std::string(5000, 'x'));
  folder_.write("upper/old", std::string(9000, 'y'));
  fs::create_hard_link(folder_ / "upper/old", folder_ / "upper/second");
  const std::vector<LayerChange> found = changes();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_GE(found[0].bytes_after + found[1].bytes_after, 9000U);
  EXPECT_LT(found[0].bytes_after + found[1].bytes_after, 18000U);
  EXPECT_GE(found[0].bytes_before, 5000U);
  fs::create_hard_link(folder_ / "lower/old", folder_ / "lower/kept");
  EXPECT_EQ(changes()[0].bytes_before, 0U);
}

}  // namespace
}  // namespace topsctl
