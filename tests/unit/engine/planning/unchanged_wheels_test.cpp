// torch stays as it is: wheels that would touch it are refused.
#include "topsctl/engine/planning/unchanged_wheels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

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
    EXPECT_THAT(refusal(), HasSubstr("it contains '" + path + "'"));
  }
}

TEST_F(UnchangedWheels, KeepTheirNameFreeWhereTheyAreNotInstalled) {
  python_.wheels.clear();
  add("caffe2/core.py");
  EXPECT_NO_THROW(require());
  add("torch/cuda.py");
  EXPECT_THAT(refusal(), HasSubstr("it contains 'torch/cuda.py'"));
}

TEST_F(UnchangedWheels, AreNotedInBothForms) {
  InstalledWheel egg;
  egg.name = "torch";
  egg.version = "1.13.0a0";
  egg.site_directory = "/usr/lib/python3/dist-packages";
  egg.dist_info = "torch-1.13.0a0.egg-info";
  python_.eggs = {egg};
  const CompareWheels compare = comparison_of(sample_stack(), python_);
  ASSERT_EQ(compare.before.size(), 2U);
  EXPECT_EQ(compare.before[0].dist_info, "/usr/lib/python3/dist-packages/torch-1.13.0a0.egg-info");
  EXPECT_EQ(compare.before[1].version, "1.10.0");
}

TEST_F(UnchangedWheels, KeepTheirCommands) {
  package_.scripts = {"torchrun"};
  EXPECT_THAT(refusal(), HasSubstr("it contains the command 'torchrun'"));
}

}  // namespace
}  // namespace topsctl
