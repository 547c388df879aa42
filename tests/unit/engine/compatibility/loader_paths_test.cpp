// Paths as the dynamic loader takes them.
#include "topsctl/engine/compatibility/loader_paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(LoaderPaths, AreTakenApart) {
  EXPECT_EQ(folder_part("/opt/lib/x.so"), "/opt/lib");
  EXPECT_EQ(name_part("/opt/lib/x.so"), "x.so");
  EXPECT_EQ(folder_part("x.so"), "");
  EXPECT_EQ(name_part("x.so"), "x.so");
}

TEST(LoaderPaths, AreMadeNormal) {
  EXPECT_EQ(normal_path("/opt/tops/bin/../lib/./x"), "/opt/tops/lib/x");
  EXPECT_EQ(normal_path("../../x"), "x");
}

TEST(LoaderPaths, KnowTheOrigin) {
  EXPECT_EQ(search_folder("$ORIGIN/../lib", "/opt/tops/bin/a"), "/opt/tops/lib");
  EXPECT_EQ(search_folder("${ORIGIN}", "/opt/tops/bin/a"), "/opt/tops/bin");
  EXPECT_EQ(search_folder("/opt/$LIB", "/a"), "");
  EXPECT_EQ(search_folder("relative", "/a"), "");
}

TEST(LoaderPaths, BeginWithThoseOfTheMachine) {
  EXPECT_THAT(default_folders("amd64"), testing::Contains("/usr/lib/x86_64-linux-gnu"));
  EXPECT_THAT(default_folders("arm64"),
              testing::Not(testing::Contains("/usr/lib/x86_64-linux-gnu")));
}

}  // namespace
}  // namespace topsctl
