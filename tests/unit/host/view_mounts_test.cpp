// What throw-away views mount, for mount tables written by hand.
#include "topsctl/host/view_mounts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using Kind = ViewMount::Kind;
using testing::ElementsAre;

std::map<std::string, MountPoint> table(const std::vector<MountPoint>& mounts) {
  std::map<std::string, MountPoint> table;
  for (const MountPoint& mount : mounts) table.emplace(mount.path, mount);
  return table;
}

MountPoint writable(const std::string& path, const std::string& type) {
  return {path, type, false, 0, 0, false};
}

TEST(ViewMounts, HaveAnOverlayForEachMountOfTheMachine) {
  const auto mounts =
      table({writable("/", "ext4"), writable("/opt", "xfs"), writable("/srv", "xfs"),
             writable("/proc", "proc"), writable("/sys", "sysfs"),
             writable("/sys/fs/cgroup", "cgroup2"), writable("/dev", "devtmpfs"),
             writable("/dev/shm", "tmpfs"), writable("/run/lock", "tmpfs")});
  EXPECT_THAT(
      view_mounts(mounts, {"/opt/tops/x"}, "/var/lib/topsctl"),
      ElementsAre(ViewMount{"/", Kind::overlay, true}, ViewMount{"/dev", Kind::devices},
                  ViewMount{"/opt", Kind::overlay, true}, ViewMount{"/proc", Kind::processes},
                  ViewMount{"/run", Kind::temporary}, ViewMount{"/srv", Kind::overlay, false},
                  ViewMount{"/sys", Kind::kernel}));
}

TEST(ViewMounts, HaveNoProcessesAndNoKernelWhereTheMachineShowsNone) {
  EXPECT_THAT(view_mounts(table({writable("/", "ext4")}), {}, "/x"),
              ElementsAre(ViewMount{"/", Kind::overlay, true}, ViewMount{"/dev", Kind::devices},
                          ViewMount{"/run", Kind::temporary}));
}

TEST(ViewMounts, ShowServersReadOnlyUnlessTheyAreWritten) {
  const auto mounts =
      table({writable("/", "ext4"), writable("/a", "nfs4"), writable("/b", "nfs4")});
  EXPECT_THAT(view_mounts(mounts, {"/b/x"}, "/x"),
              testing::IsSupersetOf(
                  {ViewMount{"/a", Kind::read_only}, ViewMount{"/b", Kind::overlay, true}}));
}

TEST(ViewMounts, LeaveOutWhatHoldsNoFilesAndWhatIsHidden) {
  const auto mounts =
      table({writable("/", "ext4"), writable("/a", "autofs"), writable("/var/lib/topsctl", "xfs"),
             writable("/var/lib/topsctl/transactions", "xfs")});
  EXPECT_EQ(view_mounts(mounts, {}, "/var/lib/topsctl").size(), 3U);
}

TEST(ViewMounts, ShowReadOnlyWhatIsReadOnlyButTheRootItself) {
  auto mounts = table({{"/", "ext4", true, 0, 0, false},
                       {"/a", "ext4", true, 0, 0, false},
                       {"/snap", "squashfs", true, 0, 0, false}});
  EXPECT_THAT(
      view_mounts(mounts, {"/a/x"}, "/x"),
      testing::IsSupersetOf({ViewMount{"/", Kind::overlay, true}, ViewMount{"/a", Kind::read_only},
                             ViewMount{"/snap", Kind::read_only}}));
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
