// Which files of a package are looked into.
#include "topsctl/host/content/payload_scan.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(SettingsFiles, AreKnownByTheEndsOfTheirNames) {
  for (const char* path : {"opt/tops/bin/start.sh", "a.py", "x/tops.env", "etc/tops.conf", "a.cfg",
                           "a.json", "a.yaml", "a.yml"}) {
    EXPECT_TRUE(is_settings_file(path)) << path;
  }
  for (const char* path : {"", "libeccl.so", "a.sh/readme", "sh", "a.txt", "a.sha256"}) {
    EXPECT_FALSE(is_settings_file(path)) << path;
  }
}

}  // namespace
}  // namespace topsctl
