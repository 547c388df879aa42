// Paths that maintainer scripts name.
#include "engine/planning/script_paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MentionedPaths, AreTheAbsoluteOnes) {
  EXPECT_THAT(
      mentioned_paths("#!/bin/sh\n"
                      "echo x >>/var/lib/tops/state; cp a/b \"/etc/tops.conf\"\n"
                      "update-alternatives --install /usr/bin/tops tops /opt/tops-2.5 50\n"),
      ElementsAre("/bin/sh", "/etc/tops.conf", "/etc/tops.conf/b", "/opt/tops-2.5", "/usr/bin/tops",
                  "/var/lib/tops/state"));
}

TEST(MentionedPaths, HaveTheNamesThatFilesGetInAFolder) {
  EXPECT_THAT(mentioned_paths("cp -p /opt/a/x.conf y \"$Z\" /etc"),
              ElementsAre("/etc", "/etc/x.conf", "/etc/y", "/opt/a/x.conf"));
  EXPECT_THAT(mentioned_paths("cat /opt/a; mv 'b' /etc/b"), ElementsAre("/etc/b", "/opt/a"));
}

TEST(MentionedPaths, EndBeforeWhatTheShellReplaces) {
  EXPECT_THAT(mentioned_paths("rm -f /opt/tops/lib/*.pyc /opt/tops/$version/x $HOME/y ${a}/z"),
              ElementsAre("/opt/tops", "/opt/tops/lib"));
}

TEST(MentionedPaths, LeaveOutWhatNoPackageInstallsInto) {
  EXPECT_THAT(mentioned_paths("x > /dev/null 2>&1; cat /proc/self/mounts /tmp/x /run/x.pid / //"),
              IsEmpty());
  EXPECT_THAT(mentioned_paths("/opt/../etc/passwd /opt/./x"), IsEmpty());
}

TEST(MentionedPaths, AreSplitAtColons) {
  EXPECT_THAT(mentioned_paths("PATH=/opt/a/bin:/usr/bin"), ElementsAre("/opt/a/bin"));
}

}  // namespace
}  // namespace topsctl
