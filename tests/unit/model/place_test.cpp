// Names of files that may lie within archives.
#include "topsctl/model/place.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(PlaceTexts, NameTheArchivesFromTheOutermost) {
  EXPECT_EQ(place_text({}, "sdk/x.deb"), "sdk/x.deb");
  EXPECT_EQ(place_text({"outer.run", "inner.tar.xz"}, "sdk/x.deb"),
            "outer.run > inner.tar.xz > sdk/x.deb");
}

TEST(PlaceTexts, ArePrintable) {
  EXPECT_EQ(place_text({"a\nb"}, "c\033[31m"), "a?b > c?[31m");
}

}  // namespace
}  // namespace topsctl
