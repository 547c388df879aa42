// Finding what has changed since a moment.
#include "topsctl/host/filesystem/change_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>

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

TEST_F(ChangeScans, ListWhatEachFolderHolds) {
  const std::vector<ListedFolder> folders = listed_folders(sample_.host, {"/"}, {"/srv"});
  const auto found = std::find_if(folders.begin(), folders.end(), [](const ListedFolder& folder) {
    return folder.path == "/usr/lib/deep/er/and/deeper";
  });
  ASSERT_NE(found, folders.end());
  EXPECT_EQ(found->names, std::string("b\0", 2));
  EXPECT_EQ(listed_folder(sample_.host, found->path), *found);
  EXPECT_EQ(folders.front().path, "/");
  EXPECT_TRUE(std::is_sorted(folders.begin(), folders.end(),
                             [](const auto& a, const auto& b) { return a.path < b.path; }));
  EXPECT_TRUE(std::none_of(folders.begin(), folders.end(), [](const ListedFolder& folder) {
    return folder.path.starts_with("/srv");
  }));
  EXPECT_FALSE(listed_folder(sample_.host, "/etc/a")) << "a file";
}

TEST_F(ChangeScans, StopAtTheirLimitAndSaySo) {
  EXPECT_FALSE(changed_since(sample_.host, {"/"}, 0, {}, 3).is_complete);
}

TEST_F(ChangeScans, TellThatAPathIsNotThere) {
  EXPECT_EQ(change_time_ns(sample_.folder / "nothing"), -1);
}

}  // namespace
}  // namespace topsctl
