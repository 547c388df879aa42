// What a wheel does to Python and the system beyond its own package is a finding; usual wheels have
// none.
#include "engine/inspection/wheel_hazards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Package wheel_with(const std::vector<std::string>& paths,
                   const std::vector<std::string>& scripts = {}) {
  Package package = sample_torch("3.8");
  package.wheel.emplace();
  package.wheel->dist_info = "torch_gcu-1.10.0.dist-info";
  package.files.emplace();
  for (const std::string& path : paths)
    package.files->push_back({path, PayloadEntry::Type::file, 1});
  package.scripts = scripts;
  return package;
}

std::vector<std::string> ids_of(const Package& package) {
  std::vector<std::string> ids;
  for (const Finding& finding : wheel_hazards(package)) ids.push_back(finding.id);
  return ids;
}

std::vector<std::string> hazard_ids(const std::vector<std::string>& paths,
                                    const std::vector<std::string>& scripts = {}) {
  return ids_of(wheel_with(paths, scripts));
}

TEST(WheelHazards, AreNotInUsualWheels) {
  EXPECT_THAT(hazard_ids({"torch_gcu/__init__.py", "torch_gcu/_C.cpython-38-x86_64-linux-gnu.so",
                          "torch_gcu-1.10.0.dist-info/RECORD", "torch_gcu.libs/libx.so",
                          "torch_gcu/pip/a.py", "torch_gcu/_vendor/other-9.9.dist-info/METADATA",
                          "torch_gcu/sitecustomize.py", "torch_gcu/x.pth",
                          "torch_gcu-1.10.0.data/data/share/torch_gcu/bin/python3",
                          "torch_gcu-1.10.0.data/headers/python.h", "torchvision_gcu.py"},
                         {"torch-gcu-info", "gcurun", "pipeline", "gcu-python"}),
              IsEmpty());
}

TEST(WheelHazards, AreWhatPythonRunsAtItsStart) {
  for (const char* path :
       {"sitecustomize.py", "usercustomize/__init__.py", "sitecustomize.cpython-38-x86_64.so",
        "x.data/data/lib/python3.8/site-packages/sitecustomize.py",
        "x.data/data/lib/python3/dist-packages/usercustomize.py"}) {
    EXPECT_THAT(hazard_ids({path}), ElementsAre("wheel-runs-at-start")) << path;
  }
  Package package = wheel_with({"a.pth", "x.data/data/lib/python3.8/site-packages/b.pth"});
  EXPECT_THAT(ids_of(package), ElementsAre("wheel-adds-python-path"));
  package.wheel->code_at_start = {"a.pth"};
  EXPECT_THAT(ids_of(package), ElementsAre("wheel-runs-at-start", "wheel-adds-python-path"));
}

TEST(WheelHazards, AreMetadataAndModulesOfOthers) {
  EXPECT_THAT(hazard_ids({"pip-99.dist-info/METADATA"}), ElementsAre("wheel-second-distribution"));
  EXPECT_THAT(hazard_ids({"torch-9-py3.8.egg-info"}), ElementsAre("wheel-second-distribution"));
  EXPECT_THAT(hazard_ids({"Torch_GCU-1.10.0.DIST-INFO/RECORD"}),
              ElementsAre("wheel-second-distribution"));
  for (const char* path : {"pip/__init__.py", "torch/__init__.py", "pkg_resources.py",
                           "x.data/data/lib/python3.8/site-packages/setuptools/a.py"}) {
    EXPECT_THAT(hazard_ids({path}), ElementsAre("wheel-foreign-files")) << path;
  }
  Package package = wheel_with({"pip/__init__.py"}, {"pip3"});
  package.name = "pip";
  EXPECT_THAT(ids_of(package), IsEmpty());
}

TEST(WheelHazards, AreProgramsWithNamesOfTheSystems) {
  for (const char* script :
       {"python3", "python3.8", "sudo", "dpkg", "dpkg-deb", "ldconfig", "sh", "pip3", "apt-get"}) {
    EXPECT_THAT(hazard_ids({}, {script}), ElementsAre("shadows-system-program")) << script;
  }
  EXPECT_THAT(hazard_ids({"x.data/data/sbin/dpkg"}), ElementsAre("shadows-system-program"));
  EXPECT_THAT(hazard_ids({"x.data/scripts/sudo"}, {"sudo"}), ElementsAre("shadows-system-program"));
}

TEST(WheelHazards, AreAllTold) {
  EXPECT_THAT(hazard_ids({"sitecustomize.py", "pip/a.py", "pip-1.dist-info/METADATA"}, {"su"}),
              UnorderedElementsAre("wheel-runs-at-start", "wheel-foreign-files",
                                   "wheel-second-distribution", "shadows-system-program"));
}

}  // namespace
}  // namespace topsctl
