// Owners of paths, from file lists written by hand and from those of this machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "support/programs.hpp"
#include "support/sample_host.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg_owners.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Owners = std::map<std::string, std::vector<std::string>>;

struct ListedHost : SampleHost {
  void list(const std::string& file, const std::string& text) {
    folder.write(concat("var/lib/dpkg/info/", file), text);
  }
  Owners owners(const std::vector<std::string>& names) const {
    std::vector<TargetPackage> packages;
    for (const std::string& name : names) {
      packages.emplace_back();
      packages.back().name = name;
    }
    return read_owners(host, packages);
  }
};

TEST(Owners, AreOfFilesAndNotOfFolders) {
  ListedHost sample;
  sample.list("a.list", "/.\n/usr\n/usr/bin\n/usr/bin/x\n/usr/lib\n");
  sample.list("b.list", "/.\n/usr\n/usr/lib\n/usr/lib/deep\n/usr/lib/deep/y\n");
  EXPECT_THAT(sample.owners({"a", "b"}), ElementsAre(Pair("/usr/bin/x", ElementsAre("a")),
                                                     Pair("/usr/lib/deep/y", ElementsAre("b"))));
}

TEST(Owners, KnowAFolderByWhatLiesDeepBelowIt) {
  ListedHost sample;
  sample.list("a.list", "/opt\n");
  sample.list("b.list", "/opt/x/y/z\n");
  EXPECT_THAT(sample.owners({"a", "b"}), ElementsAre(Pair("/opt/x/y/z", ElementsAre("b"))));
}

TEST(Owners, DoNotTakeAFileForAFolderBecauseOfItsBeginning) {
  ListedHost sample;
  sample.list("a.list", "/usr/bin/a\n/usr/bin/ab\n/usr/bin/a.b/c\n/x\n");
  EXPECT_THAT(
      sample.owners({"a"}),
      ElementsAre(Pair("/usr/bin/a", ElementsAre("a")), Pair("/usr/bin/a.b/c", ElementsAre("a")),
                  Pair("/usr/bin/ab", ElementsAre("a")), Pair("/x", ElementsAre("a"))));
}

TEST(Owners, MayBeSeveral) {
  ListedHost sample;
  sample.list("z.list", "/usr/share/doc/x\n");
  sample.list("a.list", "/usr/share/doc/x\n/usr/share/doc/x\n");
  EXPECT_THAT(sample.owners({"z", "a"}),
              ElementsAre(Pair("/usr/share/doc/x", ElementsAre("a", "z"))));
}

TEST(Owners, OfAPackageForTwoArchitecturesAreNamedOnce) {
  ListedHost sample;
  sample.list("libc6:amd64.list", "/usr/share/doc/libc6/copyright\n/lib/x\n");
  sample.list("libc6:i386.list", "/usr/share/doc/libc6/copyright\n/lib/y\n");
  EXPECT_THAT(
      sample.owners({"libc6", "libc6"}),
      ElementsAre(Pair("/lib/x", ElementsAre("libc6")), Pair("/lib/y", ElementsAre("libc6")),
                  Pair("/usr/share/doc/libc6/copyright", ElementsAre("libc6"))));
}

TEST(Owners, DoNotShareAnEmptyFolder) {
  ListedHost sample;
  sample.folder.make_folder("etc/shared.d");
  sample.folder.write("etc/shared", "");
  sample.list("a.list", "/etc/shared.d\n/etc/shared\n/etc/gone\n");
  sample.list("b.list", "/etc/shared.d\n/etc/shared\n/etc/gone\n");
  EXPECT_THAT(sample.owners({"a", "b"}), ElementsAre(Pair("/etc/gone", ElementsAre("a", "b")),
                                                     Pair("/etc/shared", ElementsAre("a", "b"))));
}

TEST(Owners, AreOnlyPackagesThatDpkgKnows) {
  ListedHost sample;
  sample.list("stale.list", "/usr/bin/x\n");
  sample.list("a.md5sums", "0123 usr/bin/y\n");
  EXPECT_THAT(sample.owners({"a"}), IsEmpty());
}

TEST(Owners, KeepEveryByteOfAPath) {
  ListedHost sample;
  sample.list("a.list", "/usr/share/\xff\xe9\n/usr/share/a b\n");
  EXPECT_THAT(sample.owners({"a"}), ElementsAre(Pair("/usr/share/a b", ElementsAre("a")),
                                                Pair("/usr/share/\xff\xe9", ElementsAre("a"))));
}

TEST(Owners, PassOverLinesThatAreNoPaths) {
  ListedHost sample;
  sample.list("a.list", "\n\n/\n/.\nrelative\n/a//b\n/a/../c\n/folder/\n/last");
  EXPECT_THAT(sample.owners({"a"}),
              ElementsAre(Pair("/folder", ElementsAre("a")), Pair("/last", ElementsAre("a"))));
}

TEST(Owners, OfAMachineWithoutListsAreNone) {
  const ListedHost sample;
  EXPECT_THAT(sample.owners({"a"}), IsEmpty());
}

TEST(Owners, OfThisMachineAreTheLeavesOfItsLists) {
  SystemRunner runner;
  SystemClock clock;
  const Host host{"/", &runner, &clock, {}};
  const Owners owners = read_owners(host, read_packages(host));
  ASSERT_GT(owners.size(), 1000U);
  Owners bash;
  for (const auto& [path, packages] : owners) {
    if (packages == std::vector<std::string>{"bash"}) bash[path] = packages;
  }
  std::vector<std::string> listed = split(output_of({"dpkg", "-L", "bash"}), '\n');
  for (const auto& [path, packages] : bash) {
    const auto at = std::find(listed.begin(), listed.end(), path);
    EXPECT_TRUE(at != listed.end()) << path;
    if (at != listed.end()) listed.erase(at);
  }
  for (const std::string& rest : listed) {
    if (rest.starts_with('/')) {
      EXPECT_TRUE(std::filesystem::is_directory(rest) || owners.contains(rest)) << rest;
    }
  }
}

}  // namespace
}  // namespace topsctl
