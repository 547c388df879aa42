// Mount tables, hand-written and of this machine.
#include "topsctl/host/filesystem/mounts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* root_line =
    "36 35 98:0 / / rw,noatime master:1 - ext4 /dev/root rw,errors=continue\n";

TEST(MountTables, TellPathTypeAndWhetherItCanBeWritten) {
  EXPECT_THAT(parse_mountinfo(root_line), ElementsAre(MountPoint{"/", "ext4", false, 0, 0, false}));
  EXPECT_THAT(parse_mountinfo("36 35 98:0 /sub /mnt/x ro,noatime - xfs /dev/sdb rw\n"),
              ElementsAre(MountPoint{"/mnt/x", "xfs", true, 0, 0, false}));
  EXPECT_THAT(parse_mountinfo("36 35 98:0 /sub /mnt/x rw shared:1 master:2 - xfs /dev/sdb ro,a=b"),
              ElementsAre(MountPoint{"/mnt/x", "xfs", true, 0, 0, false}));
}

TEST(MountTables, HaveOddCharactersAsOctalNumbers) {
  EXPECT_THAT(parse_mountinfo(R"(1 2 3:4 / /a\040b\134c\011 rw - ext4 x rw)"),
              ElementsAre(MountPoint{"/a b\\c\t", "ext4", false, 0, 0, false}));
  EXPECT_THAT(parse_mountinfo(R"(1 2 3:4 / /a\09\04 rw - ext4 x rw)"),
              ElementsAre(MountPoint{R"(/a\09\04)", "ext4", false, 0, 0, false}));
}

TEST(MountTables, MayHaveBrokenLines) {
  for (const char* line :
       {"", "\n", "x", "1 2 3:4 / /a rw - ext4", "1 2 3:4 / /a rw ext4 x rw y z",
        "1 2 3:4 / a rw - ext4 x rw", "1 2 3:4 - / /a rw ext4 x rw", "- - - - - - - - - - -"}) {
    EXPECT_THAT(parse_mountinfo(line), IsEmpty()) << line;
  }
  const std::string whole = root_line;
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_LE(parse_mountinfo(whole.substr(0, size)).size(), 1U);
}

struct RealHost {
  SystemRunner runner;
  SystemClock clock;
  Host host{"/", &runner, &clock, {}};
};

TEST(Mounts, OfThisMachineBeginWithTheRoot) {
  const RealHost real;
  const std::vector<MountPoint> mounts = read_mounts(real.host);
  ASSERT_FALSE(mounts.empty());
  EXPECT_EQ(mounts.front().path, "/");
  EXPECT_GT(mounts.front().free_bytes, 0U);
  EXPECT_TRUE(
      std::is_sorted(mounts.begin(), mounts.end(),
                     [](const MountPoint& a, const MountPoint& b) { return a.path < b.path; }));
  for (const MountPoint& mount : mounts) {
    EXPECT_NE(mount.type, "proc") << mount.path;
    EXPECT_FALSE(mount.path.starts_with("/proc")) << mount.path;
    EXPECT_FALSE(mount.path.starts_with("/dev")) << mount.path;
  }
}

TEST(Mounts, OfAnotherRootAreThoseThatHoldIt) {
  const SampleHost sample;
  const std::vector<MountPoint> mounts = read_mounts(sample.host);
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].path, "/");
  EXPECT_NE(mounts[0].type, "unknown");
  EXPECT_GT(mounts[0].free_bytes, 0U);
}

// A machine whose root directory is the sample's folder, with these mount points below it.
struct MountedHost : SampleHost {
  std::string table = root_line;

  void mount(const std::string& path, const std::string& type, const std::string& options = "rw") {
    folder.make_folder(path.substr(1));
    table +=
        concat("1 2 3:4 / ", folder.path().string(), path, " ", options, " - ", type, " x rw\n");
  }
  std::vector<std::string> paths() {
    std::vector<std::string> paths;
    for (const MountPoint& mount : read_mounts(host, table)) paths.push_back(mount.path);
    return paths;
  }
};

TEST(Mounts, BelowAnotherRootAreNamedAsItSeesThem) {
  MountedHost sample;
  sample.mount("/opt", "xfs", "ro");
  sample.table += concat("1 2 3:4 / ", sample.folder.path().string(), " rw - btrfs x rw\n");
  sample.mount("/opt/deep", "ext4");
  const std::vector<MountPoint> mounts = read_mounts(sample.host, sample.table);
  ASSERT_EQ(mounts.size(), 3U);
  EXPECT_EQ(mounts[0].path, "/");
  EXPECT_EQ(mounts[0].type, "btrfs");
  EXPECT_EQ(mounts[1].path, "/opt");
  EXPECT_EQ(mounts[1].type, "xfs");
  EXPECT_TRUE(mounts[1].read_only);
  EXPECT_EQ(mounts[2].path, "/opt/deep");
}

TEST(Mounts, OnTopOfOthersHideThem) {
  MountedHost sample;
  sample.mount("/opt", "xfs");
  sample.mount("/opt", "tmpfs");
  EXPECT_EQ(read_mounts(sample.host, sample.table).at(1).type, "tmpfs");
}

TEST(Mounts, ThatHoldNoPackagesOrNamePersonsAreLeftOut) {
  MountedHost sample;
  for (const char* path : {"/proc", "/dev/shm", "/run/user/1000", "/home/alice", "/media/usb",
                           "/sys/fs/cgroup", "/snap/core/1"}) {
    sample.mount(path, "ext4");
  }
  sample.mount("/x", "cgroup2");
  sample.mount("/y", "squashfs");
  sample.mount("/home", "ext4");
  sample.table += concat("1 2 3:4 / ", sample.folder.path().string(), "/gone rw - ext4 x rw\n");
  EXPECT_THAT(sample.paths(), ElementsAre("/", "/home", "/proc"));
}

TEST(Mounts, OfANetworkAreAskedByAProgramThatCanBeStopped) {
  MountedHost sample;
  sample.mount("/data", "nfs4");
  sample.runner.on_run = [](const Command&) {
    RunResult result;
    result.status = 0;
    result.output = "4096 1000 500 400\n";
    return result;
  };
  const MountPoint data = read_mounts(sample.host, sample.table).at(1);
  EXPECT_EQ(data.free_bytes, 4096000U);
  EXPECT_EQ(data.free_inodes, 400U);
  EXPECT_TRUE(data.counts_inodes);
  const Command& command = sample.runner.commands.at(0);
  EXPECT_EQ(command.argv.back(), "/data");
  EXPECT_LE(command.timeout_ms, 10'000);
}

TEST(Mounts, OfANetworkThatDoNotAnswerAreLeftOut) {
  MountedHost sample;
  sample.mount("/data", "fuse.sshfs");
  for (const char* answer : {"", "4096 1000 500", "4096 x 1 1", "4096 18446744073709551615 1 1"}) {
    sample.runner.on_run = [&](const Command&) {
      RunResult result;
      result.status = 0;
      result.output = answer;
      return result;
    };
    EXPECT_THAT(sample.paths(), ElementsAre("/")) << answer;
  }
  sample.runner.on_run = [](const Command&) -> RunResult {
    throw Error(ErrorCode::permission, "");
  };
  EXPECT_THAT(sample.paths(), ElementsAre("/"));
  sample.runner.on_run = [](const Command&) -> RunResult {
    throw Error(ErrorCode::interrupted, "");
  };
  EXPECT_EQ(thrown_by([&] { sample.paths(); }).code(), ErrorCode::interrupted);
}

TEST(Mounts, AreAtMostTwoHundred) {
  MountedHost sample;
  for (int i = 0; i < 250; ++i) sample.mount(concat("/m", i), "ext4");
  EXPECT_EQ(read_mounts(sample.host, sample.table).size(), 200U);
}

}  // namespace
}  // namespace topsctl
