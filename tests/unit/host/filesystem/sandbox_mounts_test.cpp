// What throw-away views mount, for mount tables written by hand.
#include "topsctl/host/filesystem/sandbox_mounts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using Kind = SandboxMount::Kind;
using testing::ElementsAre;

std::map<std::string, MountPoint> table(const std::vector<MountPoint>& mounts) {
  std::map<std::string, MountPoint> table;
  for (const MountPoint& mount : mounts) table.emplace(mount.path, mount);
  return table;
}

MountPoint writable(const std::string& path, const std::string& type) {
  return {path, type, false, 0, 0, false};
}

TEST(SandboxMounts, HaveAnOverlayForEachMountOfTheMachine) {
  const auto mounts =
      table({writable("/", "ext4"), writable("/opt", "xfs"), writable("/srv", "xfs"),
             writable("/proc", "proc"), writable("/sys", "sysfs"),
             writable("/sys/fs/cgroup", "cgroup2"), writable("/dev", "devtmpfs"),
             writable("/dev/shm", "tmpfs"), writable("/run/lock", "tmpfs")});
  EXPECT_THAT(
      view_mounts(mounts, {"/opt/tops/x"}, "/var/lib/topsctl"),
      ElementsAre(SandboxMount{"/", Kind::overlay, true}, SandboxMount{"/dev", Kind::devices},
                  SandboxMount{"/opt", Kind::overlay, true}, SandboxMount{"/proc", Kind::processes},
                  SandboxMount{"/run", Kind::temporary}, SandboxMount{"/srv", Kind::overlay, false},
                  SandboxMount{"/sys", Kind::kernel}));
}

TEST(SandboxMounts, HaveNoProcessesAndNoKernelWhereTheMachineShowsNone) {
  EXPECT_THAT(
      view_mounts(table({writable("/", "ext4")}), {}, "/x"),
      ElementsAre(SandboxMount{"/", Kind::overlay, true}, SandboxMount{"/dev", Kind::devices},
                  SandboxMount{"/run", Kind::temporary}));
}

TEST(SandboxMounts, ShowServersReadOnlyUnlessTheyAreWritten) {
  const auto mounts =
      table({writable("/", "ext4"), writable("/a", "nfs4"), writable("/b", "nfs4")});
  EXPECT_THAT(view_mounts(mounts, {"/b/x"}, "/x"),
              testing::IsSupersetOf(
                  {SandboxMount{"/a", Kind::read_only}, SandboxMount{"/b", Kind::overlay, true}}));
}

TEST(SandboxMounts, LeaveOutWhatHoldsNoFilesAndWhatIsHidden) {
  const auto mounts =
      table({writable("/", "ext4"), writable("/a", "autofs"), writable("/var/lib/topsctl", "xfs"),
             writable("/var/lib/topsctl/transactions", "xfs")});
  EXPECT_EQ(view_mounts(mounts, {}, "/var/lib/topsctl").size(), 3U);
}

TEST(SandboxMounts, ShowReadOnlyWhatIsReadOnlyButTheRootItself) {
  auto mounts = table({{"/", "ext4", true, 0, 0, false},
                       {"/a", "ext4", true, 0, 0, false},
                       {"/snap", "squashfs", true, 0, 0, false}});
  EXPECT_THAT(view_mounts(mounts, {"/a/x"}, "/x"),
              testing::IsSupersetOf({SandboxMount{"/", Kind::overlay, true},
                                     SandboxMount{"/a", Kind::read_only},
                                     SandboxMount{"/snap", Kind::read_only}}));
}

TEST(MountsOfPaths, AreTheLongestAbove) {
  const auto mounts =
      table({writable("/", "ext4"), writable("/opt", "xfs"), writable("/opt/a", "xfs")});
  EXPECT_EQ(mount_of(mounts, "/opt/a/b"), "/opt/a");
  EXPECT_EQ(mount_of(mounts, "/opt/ab"), "/opt");
  EXPECT_EQ(mount_of(mounts, "/optional"), "/");
}

}  // namespace
}  // namespace topsctl
