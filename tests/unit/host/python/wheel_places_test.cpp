// Where members go under a scheme.
#include "topsctl/host/python/wheel_places.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(WheelPlaces, AreThoseOfTheScheme) {
  const InstallScheme scheme = {"/bin/python", "/pure", "/plat", "/bin", "/prefix", "/include"};
  Package package;
  package.wheel = WheelFacts{};
  package.wheel->file_name = "torch_gcu";
  package.wheel->root_is_purelib = true;
  const auto is = [&](const char* member, const WheelPlace& expected) {
    return place_of(member, package, scheme) == expected;
  };
  EXPECT_TRUE(is("a/b.py", {"/pure", "a/b.py"}));
  EXPECT_TRUE(is("a-1.data/purelib/b", {"/pure", "b"}));
  EXPECT_TRUE(is("a-1.data/platlib/b", {"/plat", "b"}));
  EXPECT_TRUE(is("a-1.data/scripts/b", {"/bin", "b", true}));
  EXPECT_TRUE(is("a-1.data/data/share/b", {"/prefix", "share/b"}));
  EXPECT_TRUE(is("a-1.data/headers/b.h", {"/include/torch-gcu", "b.h"}));
  EXPECT_TRUE(is("a-1.data/other/b", {}));
  package.wheel->root_is_purelib = false;
  EXPECT_TRUE(is("a/b.py", {"/plat", "a/b.py"}));
  EXPECT_EQ(library_folder(package, scheme), "/plat");
}

}  // namespace
}  // namespace topsctl
