// Finding what has changed since a moment.
#include "topsctl/host/filesystem/change_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ChangeScans : public testing::Test {
 protected:
  ChangeScans() {
    for (const char* file : {"etc/a", "usr/lib/deep/er/and/deeper/b", "srv/alice/c"}) {
      sample_.folder.write(file, "old");
    }
  }
  // After this, changes have later times: the kernel's clock goes in ticks.
  std::int64_t now_ns() const {
    const std::int64_t first = time_of_a_change();
    for (;;) {
      if (const std::int64_t later = time_of_a_change(); later > first) return later;
    }
  }
  std::int64_t time_of_a_change() const {
    sample_.folder.write("tick", "");
    ::chmod((sample_.folder / "tick").c_str(), 0600);
    return change_time_ns(sample_.folder / "tick");
  }

  SampleHost sample_;
};

TEST_F(ChangeScans, FindContentsAttributesAndNewEntries) {
  const std::int64_t since = now_ns();
  sample_.folder.write("usr/lib/deep/er/and/deeper/b", "new");
  ::chmod((sample_.folder / "etc/a").c_str(), 0640);
  sample_.folder.write("srv/alice/d", "new");
  const ChangeScan scan = changed_since(sample_.host, {"/"}, since, {});
  EXPECT_THAT(scan.paths, ElementsAre("/etc/a", "/srv/alice", "/srv/alice/d", "/tick",
                                      "/usr/lib/deep/er/and/deeper/b"));
  EXPECT_TRUE(scan.is_complete);
}

TEST_F(ChangeScans, LeaveOutWhatTheyAreTold) {
  const std::int64_t since = now_ns();
  sample_.folder.write("srv/alice/c", "new");
  EXPECT_THAT(changed_since(sample_.host, {"/"}, since, {"/srv", "/tick"}).paths, IsEmpty());
}

TEST_F(ChangeScans, StopAtTheirLimitAndSaySo) {
  EXPECT_FALSE(changed_since(sample_.host, {"/"}, 0, {}, 3).is_complete);
}

TEST_F(ChangeScans, TellThatAPathIsNotThere) {
  EXPECT_EQ(change_time_ns(sample_.folder / "nothing"), -1);
}

}  // namespace
}  // namespace topsctl
