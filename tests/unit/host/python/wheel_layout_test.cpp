// Names in wheels and of them.
#include "topsctl/host/python/wheel_layout.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(WheelFileNames, AreCutIntoTheirParts) {
  const auto plain = parse_wheel_file_name("torch_gcu-1.10.0+2.5.136-py3.8-none-any.whl");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->distribution, "torch_gcu");
  EXPECT_EQ(plain->version, "1.10.0+2.5.136");
  EXPECT_EQ(plain->build, "");
  EXPECT_EQ(plain->tag, "py3.8-none-any");
  EXPECT_EQ(plain->platform, "any");
}

// As the vendor's real bundle has it: meant as a local version, read as a build tag by pip.
TEST(WheelFileNames, MayHaveABuildTag) {
  const auto built = parse_wheel_file_name("torch_gcu-1.10.0-2.5.136-py3.6-none-any.whl");
  ASSERT_TRUE(built.has_value());
  EXPECT_EQ(built->version, "1.10.0");
  EXPECT_EQ(built->build, "2.5.136");
  EXPECT_EQ(built->tag, "py3.6-none-any");
}

TEST(WheelFileNames, ThatAreNoneAreNotUnderstood) {
  for (const char* name :
       {"", "torch.whl", "a-1-py3-none.whl", "a-1-py3-none-any.zip", "a-1-build-py3-none-any.whl",
        "a-1-1-2-py3-none-any.whl", "-1-py3-none-any.whl", "a-1--none-any.whl",
        "a b-1-py3-none-any.whl", "a-1-py3-none-any.WHL"}) {
    EXPECT_FALSE(parse_wheel_file_name(name).has_value()) << name;
  }
}

TEST(WheelInfoFolders, BelongToADistributionInWhateverSpelling) {
  EXPECT_TRUE(is_info_of("Torch.GCU-1.0.dist-info", "torch_gcu"));
  EXPECT_FALSE(is_info_of("torch-1.0.dist-info", "torch_gcu"));
  EXPECT_FALSE(is_info_of("torch_gcu-1.0.data", "torch_gcu"));
}

TEST(WheelDestinations, AreThoseOfTheSchemes) {
  using Kind = WheelDestination::Kind;
  const auto is = [](std::string_view member, Kind kind, std::string_view path) {
    const WheelDestination found = wheel_destination(member);
    return found.kind == kind && found.path == path;
  };
  EXPECT_TRUE(is("a/b.py", Kind::site, "a/b.py"));
  EXPECT_TRUE(is("a-1.data/purelib/b/c.py", Kind::site, "b/c.py"));
  EXPECT_TRUE(is("a-1.data/platlib/b.so", Kind::site, "b.so"));
  EXPECT_TRUE(is("a-1.data/scripts/run", Kind::script, "run"));
  EXPECT_TRUE(is("a-1.data/data/etc/x", Kind::data, "etc/x"));
  EXPECT_TRUE(is("a-1.data/headers/a.h", Kind::headers, "a.h"));
  EXPECT_TRUE(is("a-1.data/other/x", Kind::elsewhere, "x"));
  EXPECT_TRUE(is("a-1.data/x", Kind::elsewhere, "a-1.data/x"));
  EXPECT_TRUE(is("notes.data", Kind::elsewhere, "notes.data"));
  EXPECT_TRUE(is("a/b.data/scripts/x", Kind::site, "a/b.data/scripts/x"));
}

TEST(WheelRecords, CannotListThemselvesWithADigest) {
  EXPECT_TRUE(is_exempt_from_record("a-1.dist-info/RECORD", "a-1.dist-info"));
  EXPECT_TRUE(is_exempt_from_record("a-1.dist-info/RECORD.jws", "a-1.dist-info"));
  EXPECT_TRUE(is_exempt_from_record("a-1.dist-info/RECORD.p7s", "a-1.dist-info"));
  EXPECT_FALSE(is_exempt_from_record("a-1.dist-info/RECORDS", "a-1.dist-info"));
  EXPECT_FALSE(is_exempt_from_record("b-1.dist-info/RECORD", "a-1.dist-info"));
  EXPECT_FALSE(is_exempt_from_record("a-1.dist-info/sub/RECORD", "a-1.dist-info"));
  EXPECT_FALSE(is_exempt_from_record("/RECORD", ""));
}

TEST(InstallersOwnFiles, AreThoseOfTheDistInfo) {
  EXPECT_TRUE(is_of_installer("a-1.dist-info/INSTALLER", "a-1.dist-info"));
  EXPECT_TRUE(is_of_installer("a-1.dist-info/REQUESTED", "a-1.dist-info"));
  EXPECT_TRUE(is_of_installer("a-1.dist-info/direct_url.json", "a-1.dist-info"));
  EXPECT_FALSE(is_of_installer("a-1.dist-info/RECORD", "a-1.dist-info"));
  EXPECT_FALSE(is_of_installer("b-1.dist-info/INSTALLER", "a-1.dist-info"));
}

}  // namespace
}  // namespace topsctl
