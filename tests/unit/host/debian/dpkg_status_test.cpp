// All of dpkg's status, its diversions, and what its versions can do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/dpkg_statuses.hpp"
#include "support/programs.hpp"
#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/debian/dpkg.hpp"
#include "topsctl/host/debian/dpkg_status.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

constexpr const char* bash = R"(Package: bash
Essential: yes
Status: install ok installed
Priority: required
Multi-Arch: foreign
Architecture: amd64
Version: 5.0-6
Replaces: bash-completion (<< 20060301-0), bash-doc (<= 2.05-1)
Depends: base-files (>= 2.1.12),
 debianutils (>= 2.15)
Pre-Depends: libc6 (>= 2.15)
Provides: sh
Breaks: old-shell
Conflicts: bash-completion (<< 20060301-0)
Conffiles:
 /etc/bash.bashrc 89269e1298235f1b12b4c16e4065ad0d
 /etc/skel/a b.profile ecb6d3479ac3823f1da7f314d871989b obsolete
 /etc/x newconffile
 /etc/gone 0123 remove-on-upgrade
Description: a shell
 with text: more
)";

TEST(StatusFiles, TellAllThatRelationsNeed) {
  const std::vector<TargetPackage> packages = parse_packages(bash);
  ASSERT_EQ(packages.size(), 1U);
  const TargetPackage& package = packages[0];
  EXPECT_EQ(package.name, "bash");
  EXPECT_EQ(package.version, "5.0-6");
  EXPECT_EQ(package.architecture, "amd64");
  EXPECT_EQ(package.status, dpkg_status("install ok installed"));
  EXPECT_EQ(package.multi_arch, "foreign");
  EXPECT_TRUE(package.essential);
  EXPECT_EQ(package.depends, "libc6 (>= 2.15), base-files (>= 2.1.12), debianutils (>= 2.15)");
  EXPECT_EQ(package.provides, "sh");
  EXPECT_EQ(package.breaks, "old-shell");
  EXPECT_EQ(package.conflicts, "bash-completion (<< 20060301-0)");
  EXPECT_EQ(package.replaces, "bash-completion (<< 20060301-0), bash-doc (<= 2.05-1)");
  EXPECT_THAT(package.conffiles,
              ElementsAre("/etc/bash.bashrc", "/etc/skel/a b.profile", "/etc/x", "/etc/gone"));
  EXPECT_THAT(package.obsolete_conffiles, ElementsAre("/etc/skel/a b.profile"));
  EXPECT_THAT(package.conffile_md5s,
              ElementsAre(Pair("/etc/bash.bashrc", "89269e1298235f1b12b4c16e4065ad0d"),
                          Pair("/etc/skel/a b.profile", "ecb6d3479ac3823f1da7f314d871989b")));
}

TEST(StatusFiles, MayHaveOnlyOneOfTheTwoDependencies) {
  EXPECT_EQ(parse_packages("Package: a\nPre-Depends: b\n").at(0).depends, "b");
  EXPECT_EQ(parse_packages("Package: a\nDepends: b\n").at(0).depends, "b");
}

TEST(StatusFiles, MayBeBroken) {
  EXPECT_THAT(parse_packages(""), IsEmpty());
  EXPECT_THAT(parse_packages("\n\n : x\nVersion: 1\n\n"), IsEmpty());
  const std::string whole = bash;
  const std::size_t status = whole.find("install ok installed");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string_view cut = std::string_view(whole).substr(0, size);
    if (size > status - 9 && size < status + 20) continue;  // in the field Status
    EXPECT_LE(parse_packages(cut).size(), 1U);
  }
  EXPECT_EQ(parse_packages("Package: a\x1b[31m\nVersion: \xff\n").at(0).version, "?");
}

TEST(StatusFiles, WithAStatusThatDpkgRefusesAreRefused) {
  const Error error =
      thrown_by([] { parse_packages("Package: a\nStatus: install ok instilled\n"); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("package 'a' has the status 'install ok instilled'"));
  EXPECT_THAT(error.hint(), HasSubstr("dpkg --audit"));
}

TEST(Packages, AreThoseThatAreThereInAnyState) {
  const SampleHost sample;
  sample.folder.write("var/lib/dpkg/status", concat(bash, R"(
Package: gone
Status: purge ok not-installed

Package: half
Status: install reinstreq half-installed
Version: 1

Package: left
Status: deinstall ok config-files
)"));
  std::vector<std::string> names;
  for (const TargetPackage& package : read_packages(sample.host)) names.push_back(package.name);
  EXPECT_THAT(names, ElementsAre("bash", "half", "left"));
}

TEST(Packages, AreAsAnInterruptedDpkgLastNotedThem) {
  const SampleHost sample;
  sample.folder.write("var/lib/dpkg/status", R"(Package: a
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Version: 1

Package: a
Status: install ok installed
Architecture: i386
Multi-Arch: same
Version: 1

Package: b
Status: install ok installed
Architecture: amd64
Version: 1
)");
  sample.folder.write("var/lib/dpkg/updates/0001",
                      "Package: a\nStatus: install ok unpacked\nArchitecture: i386\n"
                      "Multi-Arch: same\nVersion: 3\n");
  sample.folder.write("var/lib/dpkg/updates/0000",
                      "Package: a\nStatus: install ok unpacked\nArchitecture: i386\n"
                      "Multi-Arch: same\nVersion: 2\n");
  sample.folder.write("var/lib/dpkg/updates/0002",
                      "Package: b\nStatus: purge ok not-installed\nArchitecture: amd64\n");
  sample.folder.write("var/lib/dpkg/updates/0003",
                      "Package: c\nStatus: install ok installed\nVersion: 9\n");
  sample.folder.write("var/lib/dpkg/updates/tmp.i", "Package: d\nStatus: install ok installed\n");
  std::vector<std::string> seen;
  for (const TargetPackage& package : read_packages(sample.host))
    seen.push_back(concat(package.name, " ", package.architecture, " ", package.version));
  EXPECT_THAT(seen, ElementsAre("a amd64 1", "a i386 3", "c  9"));
}

TEST(Packages, OfAMachineWithoutDpkgAreRefused) {
  const SampleHost sample;
  const Error error = thrown_by([&] { read_packages(sample.host); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("no dpkg database under"));
  EXPECT_FALSE(error.hint().empty());
}

TEST(Packages, OfOneNameAreTheInstalledOneBeforeOthers) {
  const std::vector<TargetPackage> packages = parse_packages(
      "Package: a\nStatus: deinstall ok config-files\nArchitecture: i386\n\n"
      "Package: a\nStatus: install ok installed\nArchitecture: amd64\n\n"
      "Package: b\nStatus: install ok unpacked\n");
  EXPECT_EQ(package_named(packages, "a"), &packages[1]);
  EXPECT_EQ(package_named(packages, "b"), &packages[2]);
  EXPECT_EQ(package_named(packages, "c"), nullptr);
}

TEST(DpkgAtRest, HasNoNumberedFileOfUpdates) {
  const SampleHost sample;
  EXPECT_TRUE(is_dpkg_at_rest(sample.host));
  sample.folder.write("var/lib/dpkg/updates/tmp.i", "");
  EXPECT_TRUE(is_dpkg_at_rest(sample.host));
  sample.folder.write("var/lib/dpkg/updates/0000", "");
  EXPECT_FALSE(is_dpkg_at_rest(sample.host));
}

constexpr const char* status_text = R"(Package: tops-eccl
Status: install ok installed
Architecture: amd64
Version: 2.5.136-1
Description: a
 b
 .
 c

Package: libc6
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Version: 2.31

Package: tops-sdk
Status: install ok half-configured
Architecture: amd64
Version: 2.5.136-1

Package: old
Status: deinstall ok config-files
Architecture: amd64
Version: 1

Package: gone
Status: purge ok not-installed

Package: kept
Status: hold ok installed
Architecture: all
Version: 3

Package: broken
Status: install reinstreq installed
Architecture: all
Version: 4

Package: waiting
Status: install ok triggers-pending
Architecture: all
Version: 5

Package: nameless-state
Version: 6
)";

struct DatabaseHost : SampleHost {
  DatabaseHost() { folder.write("var/lib/dpkg/status", status_text); }
};

TEST(DpkgDatabases, TellOfThePackagesThatWereAskedFor) {
  const DatabaseHost sample;
  const auto debs = read_debs(sample.host, read_packages(sample.host),
                              {"tops-eccl", "eccl", "old", "kept", "tops-sdk", "gone"});
  EXPECT_EQ(debs.size(), 4U);
  EXPECT_EQ(debs.at("tops-eccl").version, "2.5.136-1");
  EXPECT_EQ(debs.at("tops-eccl").architecture, "amd64");
  EXPECT_EQ(debs.at("old").status, dpkg_status("deinstall ok config-files"));
}

TEST(DpkgDatabases, ListEveryPackageThatIsNeitherInstalledNorGone) {
  const DatabaseHost sample;
  EXPECT_THAT(
      unfinished_packages(read_packages(sample.host)),
      ElementsAre("tops-sdk (install ok half-configured)", "broken (install reinstreq installed)",
                  "waiting (install ok triggers-pending)"));
}

TEST(DpkgDatabases, HaveTheFileListsWithAndWithoutArchitecture) {
  const DatabaseHost sample;
  sample.folder.write("var/lib/dpkg/info/tops-eccl.list", "/.\n/usr\n/usr/lib/libeccl.so\n");
  sample.folder.write("var/lib/dpkg/info/tops-eccl.md5sums", "d4  usr/lib/libeccl.so\n");
  sample.folder.write("var/lib/dpkg/info/libc6:amd64.list", "/.\n/lib/libc.so.6\n");
  sample.folder.write("var/lib/dpkg/info/libc6:amd64.md5sums", "d5  lib/libc.so.6\n");
  const auto wanted =
      read_debs(sample.host, read_packages(sample.host), {"tops-eccl", "libc6", "kept"});
  EXPECT_THAT(wanted.at("tops-eccl").files, ElementsAre("/.", "/usr", "/usr/lib/libeccl.so"));
  EXPECT_EQ(wanted.at("tops-eccl").md5sums, "d4  usr/lib/libeccl.so\n");
  EXPECT_THAT(wanted.at("libc6").files, ElementsAre("/.", "/lib/libc.so.6"));
  EXPECT_EQ(wanted.at("libc6").md5sums, "d5  lib/libc.so.6\n");
  EXPECT_THAT(wanted.at("kept").files, IsEmpty());
}

TEST(DpkgDatabases, AreFoundBehindALink) {
  const SampleHost sample;
  sample.folder.write("srv/dpkg/status", status_text);
  sample.folder.make_folder("var/lib");
  std::filesystem::create_symlink("/srv/dpkg", sample.folder / "var/lib/dpkg");
  EXPECT_NE(package_named(read_dpkg_database(sample.host).packages, "kept"), nullptr);
}

TEST(DpkgDatabases, ThatAreMissingMakeAHostUnfit) {
  const SampleHost sample;
  const Error error = thrown_by([&] { read_dpkg_database(sample.host); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("/var/lib/dpkg/status is missing"));
  EXPECT_THAT(error.hint(), HasSubstr("--root"));
}

TEST(DpkgDatabases, ThatArePipesAreNotTakenForEmptyOnes) {
  const SampleHost sample;
  sample.folder.make_folder("var/lib/dpkg");
  ASSERT_EQ(::mkfifo((sample.folder / "var/lib/dpkg/status").c_str(), 0644), 0);
  const Error error = thrown_by([&] { read_dpkg_database(sample.host); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("is no file"));
}

TEST(Packages, OfThisMachineAreThoseOfDpkgQuery) {
  SystemRunner runner;
  SystemClock clock;
  std::vector<std::string> seen;
  for (const TargetPackage& package : read_packages({"/", &runner, &clock, {}}))
    seen.push_back(concat(package.name, " ", package.version, " ", package.architecture, " ",
                          to_text(package.status)));
  std::vector<std::string> wanted = split(
      output_of({"dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture} ${Status}\\n"}),
      '\n');
  std::erase(wanted, std::string());
  std::sort(seen.begin(), seen.end());
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(seen, wanted);
}

TEST(Diversions, AreThreeLinesEach) {
  const SampleHost sample;
  EXPECT_THAT(read_diversions(sample.host), IsEmpty());
  sample.folder.write(
      "var/lib/dpkg/diversions",
      "/bin/sh\n/bin/sh.distrib\ndash\n/usr/bin/x\n/usr/bin/x.real\n:\n/cut\n/short\n");
  EXPECT_THAT(read_diversions(sample.host),
              ElementsAre(Diversion{"/bin/sh", "/bin/sh.distrib", "dash"},
                          Diversion{"/usr/bin/x", "/usr/bin/x.real", ":"}));
  sample.folder.write("var/lib/dpkg/diversions", "/a/../b\n/c\nd\n/e\n/f\ng\n");
  EXPECT_THAT(read_diversions(sample.host), ElementsAre(Diversion{"/e", "/f", "g"}));
}

TEST(NamesBeside, AreThoseThatDpkgMakes) {
  for (const char* name : {"/a/b.dpkg-new", "/a/b.dpkg-tmp", "/a/b.dpkg-old", "/a/b.dpkg-dist",
                           "/a/b.dpkg-bak", "/a/b.dpkg-backup", "/a/b.dpkg-remove"})
    EXPECT_EQ(path_beside(name), "/a/b");
  for (const char* name : {"/a/b", "/a/b.dpkg", "/a/b.dpkg-new2", "/a/b.bak", ""})
    EXPECT_EQ(path_beside(name), "") << name;
}

TEST(Compressions, AreThoseOfTheVersion) {
  EXPECT_THAT(dpkg_compressions("1.20.13"), ElementsAre("gzip", "bzip2", "lzma", "xz"));
  EXPECT_THAT(dpkg_compressions("1.15.5"), ElementsAre("gzip", "bzip2", "lzma"));
  EXPECT_THAT(dpkg_compressions(""), IsEmpty());
  EXPECT_THAT(dpkg_compressions("nonsense"), IsEmpty());
  EXPECT_THAT(dpkg_compressions("99999999999999999999.1"), IsEmpty());
}

TEST(Compressions, HaveZstdInDebianAndEarlierInUbuntu) {
  for (const char* version :
       {"1.21.18", "1.21.22", "1.22", "2.0", "1:1.21.18", "1.21.18~bpo11+1", "1.19.0.5ubuntu2",
        "1.19.0.5ubuntu2.4", "1.19.7ubuntu3.2", "1.21.1ubuntu2.3"}) {
    EXPECT_THAT(dpkg_compressions(version), Contains("zstd")) << version;
  }
  for (const char* version : {"1.21.17", "1.20.13", "1.19.0.5", "1.19.7", "1.19.0.5ubuntu1",
                              "1.19.0.4ubuntu9", "1.18.4ubuntu1.7", "1.19.0.5ubuntu"}) {
    EXPECT_THAT(dpkg_compressions(version), Not(Contains("zstd"))) << version;
  }
}

}  // namespace
}  // namespace topsctl
