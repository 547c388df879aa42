// Tags, Requires-Python and native modules against an interpreter.
#include "engine/compatibility/interpreter_compatibility.hpp"

#include <gtest/gtest.h>

#include "support/sample_packages.hpp"

namespace topsctl {
namespace {

class WheelTags : public testing::Test {
 protected:
  WheelTags() {
    target_.architecture = "amd64";
    target_.glibc = "2.31";
  }
  WheelVerdict verdict(const std::string& tag, const std::string& minor) {
    wheel_.python->tags = {tag};
    return wheel_verdict(wheel_, sample_python(minor), target_);
  }
  bool fits(const std::string& tag, const std::string& minor) { return verdict(tag, minor).fits(); }

  Package wheel_ = [] {
    Package wheel;
    wheel.python.emplace();
    return wheel;
  }();
  TargetSnapshot target_;
};

TEST_F(WheelTags, MeanOnePythonOrAny) {
  EXPECT_TRUE(fits("py3-none-any", "3.8"));
  EXPECT_TRUE(fits("py2.py3-none-any", "3.8"));
  EXPECT_FALSE(fits("py2-none-any", "3.8"));
  EXPECT_TRUE(fits("cp38.cp39-none-any", "3.9"));
  EXPECT_FALSE(fits("cp38.cp39-none-any", "3.10"));
  wheel_.python->minor = "3.8";
  EXPECT_TRUE(fits("py3.8-none-any", "3.8"));
  EXPECT_FALSE(fits("py3.8-none-any", "3.11"));
}

TEST_F(WheelTags, NameAnAbi) {
  EXPECT_TRUE(fits("cp38-cp38-linux_x86_64", "3.8"));
  EXPECT_TRUE(fits("cp36-cp36m-linux_x86_64", "3.6"));
  EXPECT_FALSE(fits("py3-cp36m-linux_x86_64", "3.8"));
  wheel_.python->minor = "3.7";
  EXPECT_TRUE(fits("cp37-abi3-linux_x86_64", "3.10")) << "the stable ABI holds from 3.7 on";
  EXPECT_FALSE(fits("cp37-abi3-linux_x86_64", "3.6"));
}

TEST_F(WheelTags, NameAPlatform) {
  EXPECT_EQ(verdict("py3-none-linux_aarch64", "3.8").obstacle, WheelObstacle::architecture);
  EXPECT_EQ(verdict("py3-none-win_amd64", "3.8").obstacle, WheelObstacle::architecture);
  EXPECT_EQ(verdict("py3-none-musllinux_1_1_x86_64", "3.8").obstacle, WheelObstacle::architecture);
  EXPECT_TRUE(fits("py3-none-manylinux1_x86_64", "3.8"));
  EXPECT_TRUE(fits("py3-none-manylinux_2_5_x86_64.manylinux_2_35_x86_64", "3.8"));
  const WheelVerdict newer = verdict("py3-none-manylinux_2_35_x86_64", "3.8");
  EXPECT_EQ(newer.obstacle, WheelObstacle::glibc);
  EXPECT_EQ(newer.why, "its platform tag requires glibc 2.35, the target has 2.31");
}

TEST_F(WheelTags, ThatAreNoneFitNobody) {
  EXPECT_EQ(verdict("nonsense", "3.8").obstacle, WheelObstacle::python);
  EXPECT_EQ(verdict("", "3.8").why, "it has no readable tag");
}

TEST_F(WheelTags, AreThoseOfTheFileName) {
  wheel_.wheel.emplace();
  wheel_.wheel->file_tags = {"py2-none-any"};
  EXPECT_FALSE(fits("py3-none-any", "3.8"));
}

TEST_F(WheelTags, DoNotHideForWhomNativeModulesAre) {
  wheel_.files = {{"a/_C.cpython-36m-x86_64-linux-gnu.so", PayloadEntry::Type::file, 1}};
  const WheelVerdict verdict_38 = verdict("py3-none-any", "3.8");
  EXPECT_EQ(verdict_38.obstacle, WheelObstacle::native_code);
  EXPECT_EQ(verdict_38.why,
            "its native modules are built for cpython-36, the interpreter is cpython-38");
  EXPECT_TRUE(fits("py3-none-any", "3.6"));
  wheel_.files->push_back({"a/_C.cpython-38-x86_64-linux-gnu.so", PayloadEntry::Type::file, 1});
  EXPECT_TRUE(fits("py3-none-any", "3.8"));
}

TEST_F(WheelTags, GoWithRequiresPython) {
  wheel_.python->requires_python = ">=3.6, <3.9";
  EXPECT_TRUE(fits("py3-none-any", "3.8"));
  EXPECT_EQ(verdict("py3-none-any", "3.9").why, "its Requires-Python is '>=3.6, <3.9'");
}

TEST(Machines, AreCalledOtherwiseThanArchitectures) {
  EXPECT_EQ(machine_of("amd64"), "x86_64");
  EXPECT_EQ(machine_of("s390x"), "s390x");
}

}  // namespace
}  // namespace topsctl
