// Which paths an install is expected to write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/planning/planner.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

class WriteSets : public testing::Test {
 protected:
  WriteSet predicted(const std::string& components = "") {
    const std::vector<std::string> ids = selected_components(stack_, components);
    const Selection selection = select_packages(stack_, inventory_, facts_, ids);
    return plan_install({stack_, selection, facts_, Preflight()}).write_set;
  }

  const std::string site_ = "/usr/local/lib/python3.8/dist-packages";
  Stack stack_ = sample_stack();
  Inventory inventory_ = sample_inventory();
  HostFacts facts_ = sample_facts();
};

TEST_F(WriteSets, HoldTheFilesOfDebsAndWhatDpkgWritesBesideThem) {
  const WriteSet set = predicted();
  EXPECT_THAT(set.paths, IsSupersetOf({"/usr/lib/libeccl.so", "/opt/tops/lib/libdtu_sdk.so"}));
  EXPECT_THAT(set.unpacked, IsSupersetOf({"/usr/lib/libeccl.so", "/opt/tops/lib/libdtu_sdk.so"}));
  EXPECT_TRUE(std::is_sorted(set.unpacked.begin(), set.unpacked.end()));
  EXPECT_THAT(set.unpacked, Not(Contains(HasSubstr("torch_gcu")))) << "pip makes no such files";
}

TEST_F(WriteSets, HoldTheOtherNameOfADivertedFile) {
  facts_.diversions = {{"/usr/lib/libeccl.so", "/usr/lib/libeccl.so.real"}};
  const WriteSet set = predicted();
  for (const char* path : {"/usr/lib/libeccl.so", "/usr/lib/libeccl.so.real"}) {
    EXPECT_THAT(set.paths, Contains(path));
    EXPECT_THAT(set.unpacked, Contains(path));
  }
}

// Scripts end diversions, whoever made them.
TEST_F(WriteSets, HoldBothSidesOfEveryDiversionAsPossible) {
  facts_.diversions = {{"/usr/lib/gl.so", "/usr/lib/mesa/gl.so"}, {"/etc/gl", "/etc/gl.real"}};
  const WriteSet set = predicted();
  EXPECT_THAT(set.possible,
              IsSupersetOf({"/usr/lib/gl.so", "/usr/lib/mesa/gl.so", "/etc/gl.real"}));
  EXPECT_THAT(set.paths, IsSupersetOf({"/usr/lib/gl.so", "/usr/lib/mesa/gl.so", "/etc/gl.real"}));
  EXPECT_THAT(set.replaced, IsSupersetOf({"/usr/lib/gl.so", "/usr/lib/mesa/gl.so"}));
  EXPECT_THAT(set.replaced, Not(Contains("/etc/gl.real")));
}

TEST_F(WriteSets, HoldDpkgsBooks) {
  EXPECT_THAT(
      predicted().families,
      IsSupersetOf({PathFamily{"/var/lib/dpkg", ""}, PathFamily{"/var/lib/dpkg/updates", ""},
                    PathFamily{"/var/lib/dpkg/triggers", ""}, PathFamily{"/var/lib/dpkg", "tmp.ci"},
                    PathFamily{"/var/lib/dpkg/info", "", Writing::replaced},
                    PathFamily{"/etc/alternatives", ""}}));
}

TEST_F(WriteSets, HoldDataAndHeadersOfWheels) {
  Package& torch = inventory_.packages.back();
  torch.files->push_back({"x.data/data/share/t.py", PayloadEntry::Type::file, 1});
  torch.files->push_back({"x.data/headers/t.h", PayloadEntry::Type::file, 1});
  EXPECT_THAT(
      predicted().paths,
      AllOf(IsSupersetOf({"/usr/local/share/t.py", "/usr/local/share/__pycache__/t.cpython-38.pyc",
                          "/usr/local/include/python3.8/torch-gcu/t.h"}),
            Not(Contains(HasSubstr("x.data")))));
}

// dpkg and pip put new files into the place of old ones; people edit configuration files.
TEST_F(WriteSets, SayWhichFilesAreReplacedAsAWhole) {
  InstalledDeb deb = installed(sample_deb("tops-eccl", "2.5.87-1", {"/usr/lib/old.so"}));
  deb.files.insert(deb.files.end(), {"/etc/tops.conf", "/opt/tops/settings"});
  deb.conffiles = {"/opt/tops/settings"};
  facts_.debs["tops-eccl"] = deb;
  const std::vector<std::string> replaced = predicted().replaced;
  EXPECT_THAT(replaced, testing::Contains("/usr/lib/old.so"));
  EXPECT_THAT(replaced, testing::Not(testing::Contains("/etc/tops.conf")));
  EXPECT_THAT(replaced, testing::Not(testing::Contains("/opt/tops/settings")));
  EXPECT_TRUE(std::is_sorted(replaced.begin(), replaced.end()));
}

TEST_F(WriteSets, SayWhichFilesComeFromPackagesAlone) {
  Package& eccl = inventory_.packages.front();
  ASSERT_EQ(eccl.kind, PackageKind::deb);
  for (const char* path :
       {"/usr/lib/new.so", "/opt/tops/settings", "/etc/tops.conf", "/opt/tops/state"}) {
    eccl.files->push_back({path, PayloadEntry::Type::file, 1});
  }
  eccl.files->push_back({"/opt/tops", PayloadEntry::Type::directory, 0});
  eccl.deb.emplace();
  eccl.deb->conffiles = {"/opt/tops/settings"};
  eccl.deb->scripts = {{"postinst", "#!/bin/sh\necho more >>/opt/tops/state\n"}};
  const std::vector<std::string> packed = predicted().packed;
  EXPECT_THAT(packed, Contains("/usr/lib/new.so"));
  for (const char* path :
       {"/opt/tops/settings", "/etc/tops.conf", "/opt/tops/state", "/opt/tops"}) {
    EXPECT_THAT(packed, Not(Contains(path)));
  }
  EXPECT_TRUE(std::is_sorted(packed.begin(), packed.end()));
}

// dpkg gives the target the link's owner and mode: it is one file with it.
TEST_F(WriteSets, HoldTheTargetsOfHardLinks) {
  facts_.debs["tops-eccl"] = installed(sample_deb("tops-eccl", "2.5.87-1", {"/usr/lib/old.so"}));
  facts_.diversions = {{"/usr/bin/moved", "/usr/bin/moved.real"}};
  Package& eccl = inventory_.packages.front();
  for (const char* target : {"/../etc/shadow", "/usr/lib/old.so", "/usr/bin/moved"}) {
    PayloadEntry link{concat("/opt/tops", target), PayloadEntry::Type::hardlink};
    link.link_target = target;
    eccl.files->push_back(link);
  }
  const WriteSet set = predicted();
  EXPECT_THAT(set.paths, IsSupersetOf({"/etc/shadow", "/usr/bin/moved", "/usr/bin/moved.real"}));
  EXPECT_THAT(set.replaced, Not(Contains("/usr/lib/old.so"))) << "a second name would keep nothing";
}

TEST_F(WriteSets, HoldTheFilesOfAnOlderPackageThatGoAway) {
  facts_.debs["tops-eccl"] = installed(sample_deb("tops-eccl", "2.5.87-1", {"/usr/lib/old.so"}));
  const WriteSet set = predicted();
  EXPECT_THAT(set.paths, Contains("/usr/lib/old.so"));
  EXPECT_THAT(set.unpacked, Contains("/usr/lib/old.so"));
  EXPECT_THAT(set.paths, Not(Contains("/.")));
}

TEST_F(WriteSets, HoldTheLoadersCacheAndTheEnvironment) {
  EXPECT_THAT(predicted().paths,
              IsSupersetOf({"/etc/ld.so.cache", "/etc/ld.so.cache~",
                            "/var/cache/ldconfig/aux-cache", "/etc/profile.d/topsrider.sh"}));
}

TEST_F(WriteSets, HoldTheFilesOfWheelsInEverySiteDirectoryWithTheirByteCode) {
  facts_.pythons[0].site_directories.push_back("/usr/lib/python3/dist-packages");
  EXPECT_THAT(predicted().paths,
              IsSupersetOf({site_ + "/torch_gcu/__init__.py", site_ + "/torch_gcu/lib/core.so",
                            site_ + "/torch_gcu/__pycache__/__init__.cpython-38.pyc",
                            site_ + "/torch_gcu/__pycache__/__init__.cpython-38.opt-1.pyc",
                            site_ + "/torch_gcu/__pycache__/__init__.cpython-38.opt-2.pyc",
                            std::string("/usr/lib/python3/dist-packages/torch_gcu/__init__.py")}));
}

TEST_F(WriteSets, HoldNoByteCodeOfWhatIsNoPython) {
  EXPECT_THAT(predicted().paths, Not(Contains(HasSubstr("core.cpython"))));
  facts_.pythons[0].cache_tag.clear();
  EXPECT_THAT(predicted().paths, Not(Contains(HasSubstr("__pycache__"))));
}

TEST_F(WriteSets, HoldCommandsOfWheels) {
  facts_.pythons[0].script_directories = {"/usr/local/bin", "/usr/bin"};
  EXPECT_THAT(predicted().paths,
              IsSupersetOf({"/usr/local/bin/torch-info", "/usr/bin/torch-info"}));
}

TEST_F(WriteSets, HoldDistInfoAndWhatPipMovesAside) {
  EXPECT_THAT(predicted().families,
              IsSupersetOf({PathFamily{site_, "torch_gcu-"}, PathFamily{site_, "~"}}));
}

TEST_F(WriteSets, HoldTheFilesOfAnOlderWheelThatGoAway) {
  InstalledWheel old = installed(sample_torch("3.8"), facts_.pythons[0]);
  old.version = "1.10.0+2.5.87";
  old.files = {"torch_gcu/gone.py", "../../../bin/old-command", "/etc/absolute"};
  facts_.pythons[0].wheels = {old};
  EXPECT_THAT(predicted().paths, IsSupersetOf({site_ + "/torch_gcu/gone.py",
                                               site_ + "/torch_gcu/__pycache__/gone.cpython-38.pyc",
                                               std::string("/usr/local/bin/old-command"),
                                               std::string("/etc/absolute")}));
}

TEST_F(WriteSets, HoldNothingOfPackagesThatStay) {
  for (const Package& package : inventory_.packages) {
    if (package.kind == PackageKind::deb) facts_.debs[package.name] = installed(package);
  }
  facts_.pythons[0].wheels = {installed(sample_torch("3.8"), facts_.pythons[0])};
  const WriteSet set = predicted();
  EXPECT_THAT(set.paths, Contains("/etc/profile.d/topsrider.sh"));
  EXPECT_THAT(set.paths, Not(Contains("/usr/lib/libeccl.so")));
  EXPECT_THAT(set.families, testing::ElementsAre(PathFamily{"/etc/profile.d", ".topsctl-"}));
}

TEST_F(WriteSets, AreSortedAndNameNothingTwice) {
  const WriteSet set = predicted();
  EXPECT_TRUE(std::is_sorted(set.paths.begin(), set.paths.end()));
  EXPECT_EQ(std::adjacent_find(set.paths.begin(), set.paths.end()), set.paths.end());
  EXPECT_EQ(std::adjacent_find(set.families.begin(), set.families.end()), set.families.end());
}

TEST_F(WriteSets, OfDebsAloneHoldNothingOfPython) {
  EXPECT_THAT(predicted("eccl").paths, Not(Contains(HasSubstr("python"))));
}

}  // namespace
}  // namespace topsctl
