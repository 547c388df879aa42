// Steps that install wheels, after a look at what stands against them.
#include "topsctl/engine/execution/wheel_installation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_host.hpp"
#include "support/sample_packages.hpp"
#include "support/sample_wheel.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

TEST(WheelInstallation, InstallsUnlessMetadataOfAnotherVersionIsLeft) {
  const SampleHost sample;
  const SampleWheel wheel = SampleWheel().make_record();
  PlannedPackage planned;
  planned.name = planned.component = "torch_gcu";
  planned.file = wheel.file_name();
  planned.location = sample.folder.write("bundle/" + wheel.file_name(), wheel.bytes()).string();
  Plan plan;
  plan.packages = {planned};
  const InstallWheel install = {planned.name, planned.file, sample_python("3.8").scheme,
                                "cpython-38"};
  plan.steps = {{"wheel-torch_gcu", "install it", install, {}}};
  EXPECT_NO_THROW(require_wheels_installable(sample.host, plan));
  EXPECT_THAT(install_wheel_natively(sample.host, plan, install, sample.folder / "bundle"),
              HasSubstr("4 files, "));
  EXPECT_EQ(sample.folder.read("usr/local/lib/python3.8/dist-packages/torch_gcu/lib.so"), "bytes");
  EXPECT_THAT(install_wheel_natively(sample.host, plan, install, sample.folder / "bundle"),
              HasSubstr("of the previous version removed"));
  sample.folder.write("usr/local/lib/python3.8/dist-packages/torch_gcu-1.dist-info/METADATA",
                      "Name: torch_gcu\nVersion: 1\n");
  const Error error = thrown_by([&] { require_wheels_installable(sample.host, plan); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
}

}  // namespace
}  // namespace topsctl
