// torch stays as it is: wheels that would touch it are refused, and a difference is found.
#include "topsctl/engine/planning/unchanged_wheels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_host.hpp"
#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/python/python.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class UnchangedWheels : public testing::Test {
 protected:
  UnchangedWheels() {
    InstalledWheel torch;
    torch.name = "torch";
    torch.version = "1.10.0";
    torch.site_directory = python_.site_directories.front();
    torch.dist_info = "torch-1.10.0.dist-info";
    torch.files = {"torch/__init__.py", "caffe2/core.py", "../../../bin/torchrun"};
    torch.record = "record";
    python_.wheels = {torch};
  }
  void require() {
    Selection selection;
    selection.packages = {package_};
    selection.python = &python_;
    require_untouched(sample_stack(), selection);
  }
  std::string refusal() {
    const Error error = thrown_by([&] { require(); });
    EXPECT_EQ(error.code(), ErrorCode::bad_package);
    EXPECT_THAT(error.hint(), HasSubstr("python.unchanged"));
    return error.message();
  }
  void add(const std::string& path) {
    package_.files->push_back({path, PayloadEntry::Type::file, 1});
  }

  PythonFacts python_ = sample_python("3.8");
  Package package_ = sample_torch("3.8");
};

TEST_F(UnchangedWheels, AreNoneOfAnOrdinaryWheelsBusiness) {
  add("torch_gcu_extra/x.py");
  add("vendor/torch/x.py");
  EXPECT_NO_THROW(require());
}

TEST_F(UnchangedWheels, AreNotInstalledThemselves) {
  package_.name = "Torch";
  EXPECT_THAT(refusal(), HasSubstr("would change 'torch'"));
}

TEST_F(UnchangedWheels, AreNotWrittenInto) {
  for (const std::string path : {"torch/cuda.py", "torch.py", "torch-1.10.0.dist-info/RECORD",
                                 "torch-9.dist-info/METADATA", "caffe2/core.py"}) {
    package_ = sample_torch("3.8");
    add(path);
    EXPECT_THAT(refusal(), HasSubstr("it has '" + path + "'"));
  }
}

TEST_F(UnchangedWheels, KeepTheirNameFreeWhereTheyAreNotInstalled) {
  python_.wheels.clear();
  add("caffe2/core.py");
  EXPECT_NO_THROW(require());
  add("torch/cuda.py");
  EXPECT_THAT(refusal(), HasSubstr("it has 'torch/cuda.py'"));
}

TEST_F(UnchangedWheels, KeepTheirCommands) {
  package_.scripts = {"torchrun"};
  EXPECT_THAT(refusal(), HasSubstr("it has the command 'torchrun'"));
}

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
  EXPECT_EQ(compare_wheels(sample_.host, recorded()), "none of torch is there");
}

TEST_F(ComparedWheels, AreMissedWhenGone) {
  const CompareWheels before = recorded();
  fs::remove_all(sample_.folder / "site");
  EXPECT_THAT(difference(before), HasSubstr("torch 1.10.0 is gone from /site/"));
}

TEST_F(ComparedWheels, AreNoticedWhenReplaced) {
  const CompareWheels before = recorded();
  write("2.0.1", "a.py,,\n");
  EXPECT_EQ(difference(before), "torch 1.10.0 became torch 2.0.1");
  write("1.10.0", "b.py,,\n");
  EXPECT_THAT(difference(before), HasSubstr("torch 1.10.0 is another one"));
}

TEST_F(ComparedWheels, AreNoticedWhenTheyCome) {
  CompareWheels before = recorded();
  before.before.clear();
  EXPECT_THAT(difference(before), HasSubstr("torch 1.10.0 came to /site/torch-1.10.0.dist-info"));
}

}  // namespace
}  // namespace topsctl
