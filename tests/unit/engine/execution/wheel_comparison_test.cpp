// A distribution that is not what the plan noted of it is found.
#include "engine/execution/wheel_comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/planning/unchanged_wheels.hpp"
#include "topsctl/host/python/python.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ComparedWheels : public testing::Test {
 protected:
  ComparedWheels() { write("1.10.0", "a.py,,\n"); }
  void write(const std::string& version, const std::string& record) {
    const std::string info = "site/torch-1.10.0.dist-info/";
    sample_.folder.write(info + "METADATA", "Name: torch\nVersion: " + version + "\n");
    sample_.folder.write(info + "RECORD", record);
  }
  CompareWheels recorded() {
    PythonFacts python;
    python.site_directories = {"/site"};
    Stack stack;
    stack.python.unchanged = {"torch"};
    python.wheels = read_installed_wheels(sample_.host, python, {"torch"});
    python.eggs = read_installed_eggs(sample_.host, python, {"torch"});
    return comparison_of(stack, python);
  }
  std::string difference(const CompareWheels& before) {
    const Error error = thrown_by([&] { compare_wheels(sample_.host, before); });
    EXPECT_EQ(error.code(), ErrorCode::step_failed);
    return error.message();
  }
  SampleHost sample_;
};

TEST_F(ComparedWheels, AreAsTheyWere) {
  const CompareWheels before = recorded();
  ASSERT_EQ(before.before.size(), 1U);
  EXPECT_EQ(before.before[0].dist_info, "/site/torch-1.10.0.dist-info");
  EXPECT_EQ(compare_wheels(sample_.host, before), "torch 1.10.0 unchanged");
}

TEST_F(ComparedWheels, OfWhichNoneIsThereAreFine) {
  fs::remove_all(sample_.folder / "site");
  EXPECT_EQ(compare_wheels(sample_.host, recorded()), "none of torch is installed");
}

TEST_F(ComparedWheels, MayHaveComeWithADeb) {
  fs::remove_all(sample_.folder / "site");
  sample_.folder.write("site/torch-1.13.0a0.egg-info/PKG-INFO", "Name: torch\nVersion: 1.13.0a0\n");
  sample_.folder.write("site/torchvision-1-py3.11.egg-info", "Name: torchvision\nVersion: 1\n");
  const CompareWheels before = recorded();
  ASSERT_EQ(before.before.size(), 1U);
  EXPECT_EQ(compare_wheels(sample_.host, before), "torch 1.13.0a0 unchanged");
  sample_.folder.write("site/torch-1.13.0a0.egg-info/PKG-INFO", "Name: torch\nVersion: 1.14\n");
  EXPECT_EQ(difference(before), "torch 1.13.0a0 became torch 1.14");
  fs::remove_all(sample_.folder / "site");
  EXPECT_THAT(difference(before), HasSubstr("torch 1.13.0a0 was removed from /site/"));
}

TEST_F(ComparedWheels, AreMissedWhenGone) {
  const CompareWheels before = recorded();
  fs::remove_all(sample_.folder / "site");
  EXPECT_THAT(difference(before), HasSubstr("torch 1.10.0 was removed from /site/"));
}

TEST_F(ComparedWheels, AreNoticedWhenReplaced) {
  const CompareWheels before = recorded();
  write("2.0.1", "a.py,,\n");
  EXPECT_EQ(difference(before), "torch 1.10.0 became torch 2.0.1");
  write("1.10.0", "b.py,,\n");
  EXPECT_THAT(difference(before), HasSubstr("torch 1.10.0 was replaced"));
}

TEST_F(ComparedWheels, AreNoticedWhenTheyCome) {
  CompareWheels before = recorded();
  before.before.clear();
  EXPECT_THAT(difference(before),
              HasSubstr("torch 1.10.0 was added in /site/torch-1.10.0.dist-info"));
}

}  // namespace
}  // namespace topsctl
