// What each mount point gets, and whether it can take it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t mebi = 1U << 20U;

class CompatibilityOfSpace : public SampleCompatibility {
 protected:
  CompatibilityOfSpace() { rules_.dpkg_overhead = 0; }

  void mount(const std::string& path, std::uint64_t free = 1000 * mebi) {
    target_.mounts.push_back({path, "ext4", false, free, 1000, true});
  }
  void file(const std::string& path, std::uint64_t size,
            PayloadEntry::Type type = PayloadEntry::Type::file) {
    inspection_.inventory.packages.back().files->push_back({path, type, size});
  }
  // "MOUNT: BYTES, INODES"
  std::vector<std::string> needs() const {
    std::vector<std::string> lines;
    for (const SpaceNeed& need : fit().space) {
      lines.push_back(concat(need.mount, ": ", need.needed_bytes, ", ", need.needed_inodes));
    }
    return lines;
  }
};

TEST_F(CompatibilityOfSpace, IsCountedInBlocksPerMountPoint) {
  mount("/");
  mount("/opt");
  mount("/optional");
  deb("tops-sdk", "2");
  file("/opt/tops/a", 1);
  file("/opt/tops/b", 4096);
  file("/opt/tops/link", 4096, PayloadEntry::Type::symlink);
  file("/opt/tops/hard", 4096, PayloadEntry::Type::hardlink);
  file("/opt/tops", 0, PayloadEntry::Type::directory);
  file("/optics/c", 4097);
  // dpkg's own record of the package: a block for the list, two inodes.
  EXPECT_THAT(needs(), ElementsAre("/: 12288, 3", "/opt: 12288, 4"));
}

TEST_F(CompatibilityOfSpace, IsNeededForTheCopiesOfTheTransaction) {
  mount("/");
  mount("/var", 10 * mebi);
  rules_.staged_bytes = 11 * mebi;
  deb("tops-sdk", "2");
  EXPECT_THAT(needs(), testing::Contains(testing::StartsWith(concat("/var: ", 11 * mebi))));
  EXPECT_EQ(fit().findings.front().id, "no-space");
}

TEST_F(CompatibilityOfSpace, IsNotNeededForFoldersThatAreThere) {
  mount("/");
  installed("other", "1", {"/opt/tops/other"});
  deb("tops-sdk", "2");
  file("/opt/tops", 0, PayloadEntry::Type::directory);
  file("/opt/tops/sub", 0, PayloadEntry::Type::directory);
  EXPECT_THAT(needs(), ElementsAre("/: 8192, 3"));
}

TEST_F(CompatibilityOfSpace, OfAnUpgradeIsNeededInFull) {
  mount("/");
  deb("tops-sdk", "2");
  file("/opt/a", 5 * mebi);
  const std::vector<std::string> fresh = needs();
  installed("tops-sdk", "1", {"/opt/a"});
  EXPECT_EQ(needs(), fresh);
}

TEST_F(CompatibilityOfSpace, IsWhatThePackageClaimsWhereItWasNotRead) {
  mount("/");
  mount("/opt");
  mount("/usr");
  deb("tops-sdk", "2", {"/opt/a", "/opt/b", "/usr/c"}).files_are_claims = true;
  inspection_.inventory.packages[0].installed_size = 9 * mebi;
  EXPECT_THAT(needs(), ElementsAre("/: 8192, 2", "/opt: 9437184, 2", "/usr: 0, 1"));
  inspection_.inventory.packages[0].files.reset();
  EXPECT_THAT(needs(), ElementsAre("/: 4096, 2", "/usr: 9437184, 0"));
}

TEST_F(CompatibilityOfSpace, OfWheelsIsWhereTheInterpreterKeepsThem) {
  mount("/");
  mount("/usr/local");
  wheel("ptex", "1", "py3-none-any");
  file("ptex/a.py", 10);
  file("ptex/a.so", 8192);
  target_.pythons = {sample_python("3.8"), sample_python("3.11")};
  EXPECT_THAT(needs(), ElementsAre("/usr/local: 16384, 3")) << "the module once more, compiled";
  inspection_.contents[0].unpacked_size = mebi;
  EXPECT_THAT(needs(), ElementsAre("/usr/local: 1048576, 3"));
}

TEST_F(CompatibilityOfSpace, ThatIsNotFreeIsNamedWithTheLargestParts) {
  mount("/", mebi);
  deb("a-small", "1");
  file("/opt/a", 4096);
  deb("b-large", "1");
  file("/opt/b", mebi);
  EXPECT_THAT(ids(), ElementsAre("no-space /"));
  EXPECT_THAT(evidence("no-space"),
              ElementsAre("/: 1.0 MiB needed, 1.0 MiB free", "deb/b-large_1_amd64.deb: 1.0 MiB",
                          "deb/a-small_1_amd64.deb: 8.0 KiB"));
  target_.mounts[0].free_bytes = 2 * mebi;
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfSpace, CountsInodesWhereTheyAreCounted) {
  mount("/");
  target_.mounts[0].free_inodes = 3;
  deb("tops-sdk", "1", {"/a", "/b"});
  EXPECT_THAT(ids(), ElementsAre("no-inodes /"));
  EXPECT_EQ(finding("no-inodes").evidence[0].text, "4 inodes needed, 3 free");
  target_.mounts[0].counts_inodes = false;
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfSpace, OfAReadOnlyMountIsNoSpace) {
  mount("/");
  mount("/opt", 0);
  target_.mounts[1].read_only = true;
  deb("tops-sdk", "1", {"/a"});
  EXPECT_THAT(ids(), IsEmpty()) << "nothing goes there";
  file("/opt/a", 1);
  EXPECT_THAT(ids(), ElementsAre("mount-read-only /opt"));
}

TEST_F(CompatibilityOfSpace, OfMergedFoldersIsThatOfUsr) {
  mount("/");
  mount("/usr");
  installed("usr-is-merged", "1");
  deb("tops-sdk", "1", {"/lib/a"});
  EXPECT_THAT(needs(), ElementsAre("/: 8192, 2", "/usr: 4096, 1"));
}

TEST_F(CompatibilityOfSpace, DoesNotOverflow) {
  mount("/");
  deb("tops-sdk", "1");
  file("/a", ~std::uint64_t{0});
  file("/b", ~std::uint64_t{0});
  EXPECT_THAT(ids(), ElementsAre("no-space /"));
}

}  // namespace
}  // namespace topsctl
