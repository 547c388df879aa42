// Snapshots of a hand-made machine and of this one, and the way back from a file.
#include "topsctl/host/facts/target_facts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/sample_host.hpp"
#include "support/sample_snapshot.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(HighestVersions, AreThoseOfTheLargestNumbers) {
  EXPECT_EQ(highest_version({"GLIBCXX_3.4", "GLIBCXX_3.4.9", "GLIBCXX_3.4.28", "GLIBCXX_3.4.10",
                             "GLIBCXX_TUNABLES", "GLIBCXX_LDBL_3.4", "CXXABI_9"},
                            "GLIBCXX_"),
            "3.4.28");
  EXPECT_EQ(
      highest_version({"CXXABI_1.3.12", "CXXABI_TM_1", "CXXABI_FLOAT128", "CXXABI_"}, "CXXABI_"),
      "1.3.12");
  EXPECT_EQ(
      highest_version({"GLIBC_2.2.5", "GLIBC_2.31", "GLIBC_PRIVATE", "GLIBC_2.99999999"}, "GLIBC_"),
      "2.31");
  EXPECT_EQ(highest_version({}, "GLIBC_"), "");
}

struct Machine : SampleHost {
  Machine() {
    folder.write("var/lib/dpkg/status", R"(Package: dpkg
Status: install ok installed
Architecture: amd64
Version: 1.19.7ubuntu3

Package: libc6
Status: install ok installed
Architecture: i386
Multi-Arch: same
Version: 2.30-1

Package: libc6
Status: install ok installed
Architecture: amd64
Multi-Arch: same
Version: 2.31-0ubuntu9.9
)");
    folder.write("var/lib/dpkg/info/dpkg.list", "/usr\n/usr/bin\n/usr/bin/dpkg\n");
    folder.write("var/lib/dpkg/diversions", "/bin/sh\n/bin/sh.distrib\ndash\n");
    folder.write("etc/os-release", "ID=ubuntu\nVERSION_ID=\"20.04\"\n");
    folder.write("etc/hostname", "gcu-17\n");
    folder.write("usr/lib/libtops.so.1", "");
  }
};

TEST(Targets, AreReadFromTheirRoot) {
  if (!is_root_user()) GTEST_SKIP() << "needs root: it looks at another root's interpreters";
  const Machine machine;
  const TargetSnapshot snapshot = read_target_snapshot(machine.host, {});
  EXPECT_EQ(snapshot.taken_at, timestamp(machine.clock.now()));
  EXPECT_EQ(snapshot.host_name, "gcu-17");
  EXPECT_EQ(snapshot.os, "ubuntu 20.04");
  EXPECT_EQ(snapshot.architecture, "amd64");
  EXPECT_EQ(snapshot.kernel, "");
  EXPECT_EQ(snapshot.glibc, "2.31");
  EXPECT_EQ(snapshot.dpkg_version, "1.19.7ubuntu3");
  EXPECT_THAT(snapshot.dpkg_compressions, ElementsAre("gzip", "bzip2", "lzma", "xz", "zstd"));
  EXPECT_EQ(snapshot.packages.size(), 3U);
  EXPECT_THAT(snapshot.owners.at("/usr/bin/dpkg"), ElementsAre("dpkg"));
  EXPECT_THAT(snapshot.diversions, ElementsAre(Diversion{"/bin/sh", "/bin/sh.distrib", "dash"}));
  EXPECT_THAT(snapshot.libraries,
              ElementsAre(CachedLibrary{"libtops.so.1", "/usr/lib/libtops.so.1"}));
  EXPECT_THAT(snapshot.pythons, IsEmpty());
  EXPECT_EQ(snapshot.mounts.at(0).path, "/");
}

TEST(Targets, KnowTheirArchitectureWithoutThePackageDpkg) {
  const Machine machine;
  machine.folder.write("var/lib/dpkg/status", "Package: a\nStatus: install ok installed\n");
  EXPECT_EQ(read_target_snapshot(machine.host, {}).architecture, "");
  machine.folder.write("var/lib/dpkg/arch", "arm64\namd64\n");
  const TargetSnapshot snapshot = read_target_snapshot(machine.host, {});
  EXPECT_EQ(snapshot.architecture, "arm64");
  EXPECT_EQ(snapshot.dpkg_version, "");
  EXPECT_THAT(snapshot.dpkg_compressions, IsEmpty());
}

TEST(Targets, TellWhichInterpretersAreLeftOut) {
  const Machine machine;
  std::vector<std::string> left_out;
  const TargetSnapshot snapshot =
      read_target_snapshot(machine.host, {"/usr/bin/no-python"},
                           [&](const std::string& why) { left_out.push_back(why); });
  EXPECT_EQ(left_out.size(), 1U);
}

TEST(Targets, ComeBackFromTheFileThatWasWritten) {
  SystemRunner runner;
  SystemClock clock;
  const TargetSnapshot snapshot = read_target_snapshot({"/", &runner, &clock, {}}, {});
  EXPECT_FALSE(snapshot.packages.empty());
  EXPECT_FALSE(snapshot.host_name.empty());
  EXPECT_FALSE(snapshot.kernel.empty());
  EXPECT_FALSE(snapshot.glibc.empty());
  EXPECT_FALSE(snapshot.pythons.empty());
  const TemporaryFolder folder;
  const auto file = folder.write("s.json", to_text(snapshot));
  EXPECT_TRUE(load_target_snapshot(file) == snapshot);
}

TEST(Targets, AreRootsOrFiles) {
  const Machine machine;
  const auto file = machine.folder.write("s.json", to_text(sample_snapshot()));
  EXPECT_EQ(target_of(machine.host, file.string()).host_name, "gcu-17");
  EXPECT_EQ(target_of(machine.host, file.string()).kernel, "5.4.0-100-generic");
  Host here = machine.host;
  here.root = "/";
  EXPECT_EQ(target_of(here, machine.folder.path().string() + "//").packages.size(), 3U);
}

TEST(Targets, ThatAreNeitherAreRefused) {
  const Machine machine;
  for (const std::string& wrong :
       {std::string(), (machine.folder / "none").string(), std::string("/dev/null")}) {
    const Error error = thrown_by([&] { target_of(machine.host, wrong); });
    EXPECT_EQ(error.code(), wrong == "/dev/null" ? ErrorCode::bad_package : ErrorCode::usage)
        << wrong;
    EXPECT_FALSE(error.hint().empty()) << wrong;
  }
  const Error error = thrown_by(
      [&] { load_target_snapshot(machine.folder.write("x.json", "{\"kind\": \"stack\"}")); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("/kind"));
  EXPECT_EQ(thrown_by([&] { load_target_snapshot(machine.folder / "none"); }).code(),
            ErrorCode::bad_package);
  const Error no_dpkg =
      thrown_by([&] { target_of(machine.host, (machine.folder / "etc").string()); });
  EXPECT_EQ(no_dpkg.code(), ErrorCode::host_unfit);
}

}  // namespace
}  // namespace topsctl
