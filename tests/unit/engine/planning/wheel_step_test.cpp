// The steps that install wheels: pip reaches for nothing and gets no more leave than was given.
#include "topsctl/engine/planning/wheel_step.hpp"
#include "topsctl/engine/execution/wheel_installation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_host.hpp"
#include "support/sample_packages.hpp"
#include "support/sample_wheel.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class WheelSteps : public testing::Test {
 protected:
  WheelSteps() {
    wheel_.component = "torch_gcu";
    wheel_.name = "torch_gcu";
    wheel_.file = "torch_gcu-1.10.0+2.5.136-py3.8-none-any.whl";
    wheel_.sha256 = "0123";
  }
  std::map<std::string, std::string> pip_environment(SystemPython system_python) {
    const Step step = wheel_step(wheel_, python_, WheelBackend::pip, system_python);
    return std::get<RunCommand>(step.action).environment;
  }

  PlannedPackage wheel_;
  PythonFacts python_ = sample_python("3.8");
};

TEST_F(WheelSteps, GivePipNoConfiguration) {
  EXPECT_THAT(
      pip_environment(SystemPython::allow),
      ElementsAre(Pair("PIP_CONFIG_FILE", "/dev/null"), Pair("PIP_ROOT_USER_ACTION", "ignore")));
}

TEST_F(WheelSteps, LetPipChangeTheSystemsPythonOnlyIfThatWasAllowed) {
  python_.externally_managed = true;
  EXPECT_EQ(pip_environment(SystemPython::refuse).count("PIP_BREAK_SYSTEM_PACKAGES"), 0U);
  EXPECT_EQ(pip_environment(SystemPython::allow).at("PIP_BREAK_SYSTEM_PACKAGES"), "1");
}

TEST_F(WheelSteps, ThatAreNativeSayWhereEverythingGoes) {
  const Step step = wheel_step(wheel_, python_, WheelBackend::native, SystemPython::refuse);
  EXPECT_EQ(step.id, "wheel-torch_gcu");
  EXPECT_EQ(step.description,
            "install torch_gcu-1.10.0+2.5.136-py3.8-none-any.whl for /usr/bin/python3.8");
  const InstallWheel expected = {"torch_gcu", wheel_.file, python_.scheme, "cpython-38"};
  EXPECT_EQ(std::get<InstallWheel>(step.action), expected);
}

TEST_F(WheelSteps, ThatAreNativeAreCarriedOutAfterALookAtWhatStandsAgainstThem) {
  const SampleHost sample;
  const SampleWheel wheel = SampleWheel().make_record();
  wheel_.location = sample.folder.write("bundle/" + wheel.file_name(), wheel.bytes()).string();
  Plan plan;
  plan.packages = {wheel_};
  plan.steps = {wheel_step(wheel_, python_, WheelBackend::native, SystemPython::refuse)};
  EXPECT_NO_THROW(require_wheels_installable(sample.host, plan));
  const auto& action = std::get<InstallWheel>(plan.steps[0].action);
  EXPECT_THAT(install_wheel_natively(sample.host, plan, action, sample.folder / "bundle"),
              HasSubstr("4 files, "));
  EXPECT_EQ(sample.folder.read("usr/local/lib/python3.8/dist-packages/torch_gcu/lib.so"), "bytes");
  EXPECT_THAT(install_wheel_natively(sample.host, plan, action, sample.folder / "bundle"),
              HasSubstr("of the previous version removed"));
  sample.folder.write("usr/local/lib/python3.8/dist-packages/torch_gcu-1.dist-info/METADATA",
                      "Name: torch_gcu\nVersion: 1\n");
  const Error error = thrown_by([&] { require_wheels_installable(sample.host, plan); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
}

}  // namespace
}  // namespace topsctl
