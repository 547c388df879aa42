// Requirements of Python packages: what they name, when they apply, and which versions they take.
#include "topsctl/base/python_requirement.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(AcceptedVersions, FollowTheSpecifiers) {
  EXPECT_TRUE(accepts_python_version("", "3.8.10"));
  EXPECT_TRUE(accepts_python_version("==3.8.*", "3.8.10"));
  EXPECT_FALSE(accepts_python_version("==3.8.*", "3.9.1"));
  EXPECT_FALSE(accepts_python_version("!=3.8.*, >=3", "3.8.10"));
  EXPECT_TRUE(accepts_python_version("~=3.6", "3.8.10"));
  EXPECT_FALSE(accepts_python_version("~=3.8.11", "3.8.10"));
  EXPECT_FALSE(accepts_python_version("~=3.8.1", "3.9.1"));
  EXPECT_TRUE(accepts_python_version("<3.10", "3.9"));
  EXPECT_FALSE(accepts_python_version(">3.8.10", "3.8.10"));
  EXPECT_TRUE(accepts_python_version("<=3.8.10", "3.8.10"));
  EXPECT_TRUE(accepts_python_version("nonsense", "3.8.10"));
  EXPECT_TRUE(accepts_python_version(">=nonsense", "3.8.10"));
}

TEST(AcceptedVersions, HaveALocalPartOnlyWhereItIsAskedFor) {
  EXPECT_TRUE(accepts_python_version("==1.10.0", "1.10.0+cpu"));
  EXPECT_FALSE(accepts_python_version("==1.10.0+cpu", "1.10.0"));
  EXPECT_TRUE(accepts_python_version("<=1.10.0", "1.10.0+cpu"));
  EXPECT_FALSE(accepts_python_version(">1.10.0", "1.10.0+cpu"));
}

TEST(AcceptedVersions, AreNoPreReleasesOfWhatTheyMustBeOlderThan) {
  EXPECT_FALSE(accepts_python_version("<2.0", "2.0rc1"));
  EXPECT_TRUE(accepts_python_version("<2.0", "1.9rc1"));
  EXPECT_FALSE(accepts_python_version(">1.7", "1.7.post1"));
}

TEST(Requirements, AreReadInAnySpelling) {
  const auto read = [](const char* field) {
    const auto found = parse_python_requirement(field);
    return found ? found->name + "|" + found->specifiers + "|" + found->marker : "";
  };
  EXPECT_EQ(read("torch==1.10.0"), "torch|==1.10.0|");
  EXPECT_EQ(read(" numpy (>=1.19) ; python_version < '3.9' "),
            "numpy|>=1.19|python_version < '3.9'");
  EXPECT_EQ(read("a.b-c_d[x,y] >=1, !=2;extra == 'z'"), "a.b-c_d|>=1, !=2|extra == 'z'");
  EXPECT_EQ(read("torch @ https://x/y;z.whl ; os_name == 'nt'"), "torch||os_name == 'nt'");
  EXPECT_EQ(read("not a requirement!"), "");
  EXPECT_EQ(read("torch[x"), "");
  EXPECT_EQ(read(""), "");
}

TEST(Markers, AreEvaluated) {
  const MarkerEnvironment here = {
      {"python_version", "3.8"}, {"sys_platform", "linux"}, {"extra", ""}};
  const auto met = [&](const char* marker) { return is_marker_met(marker, here); };
  EXPECT_EQ(met(""), true);
  EXPECT_EQ(met("python_version >= '3.10'"), false) << "numbers, not texts";
  EXPECT_EQ(met("python_version == '3.*'"), true);
  EXPECT_EQ(met("'linux' in sys_platform and not_known == 'x'"), std::nullopt);
  EXPECT_EQ(met("(python_version<'3' or sys_platform == \"linux\") and extra==''"), true);
  EXPECT_EQ(met("python_version < '3' or python_version < '4' and sys_platform == 'win32'"), false);
  EXPECT_EQ(met("sys_platform not in 'win32 darwin'"), true);
  EXPECT_EQ(met("extra == 'test'"), false);
  for (const char* broken : {"python_version", "python_version <", "(extra == ''", "extra == '' or",
                             "extra == 'x' and", "python_version = '3'"})
    EXPECT_EQ(met(broken), std::nullopt) << broken;
  EXPECT_EQ(is_marker_met(std::string(10'000, '('), here), std::nullopt);
}

}  // namespace
}  // namespace topsctl
