// When dpkg unpacks without being observed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "topsctl/engine/planning/planner.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Unpacking : public testing::Test {
 protected:
  RunCommand command(PlanOptions options = {}) const {
    const std::vector<std::string> ids = selected_components(stack_, "eccl");
    const Selection selection = select_packages(stack_, inventory_, facts_, ids);
    const Plan plan = plan_install({stack_, selection, facts_, Preflight(), std::move(options)});
    for (const Step& step : plan.steps) {
      if (step.id == "debs") return std::get<RunCommand>(step.action);
    }
    throw std::runtime_error("no step of dpkg");
  }
  bool is_observed() const { return command().unobserved_argv.empty(); }
  Unpacking() { eccl().deb = DebFacts(); }
  Package& eccl() { return inventory_.packages.front(); }
  InstalledDeb& installed_eccl() {
    return facts_.debs["tops-eccl"] =
               installed(sample_deb("tops-eccl", "2.4", {"/usr/lib/old.so"}));
  }

  Stack stack_ = sample_stack();
  Inventory inventory_ = sample_inventory();
  HostFacts facts_ = sample_facts();
};

constexpr const char* opaque = "#!/bin/sh\npython3 -c 'x'\n";

TEST_F(Unpacking, IsACallOfItsOwnWhereAllOfItIsPredicted) {
  eccl().deb->scripts = {{"postinst", opaque}, {"postrm", "#!/bin/sh\nldconfig\n"}};
  const RunCommand run = command();
  EXPECT_THAT(run.unobserved_argv,
              ElementsAre("dpkg", "--force-unsafe-io", "--force-confdef", "--force-confold",
                          "--unpack", "{stage}/" + eccl().path.substr(eccl().path.rfind('/') + 1)));
  EXPECT_THAT(run.argv,
              ElementsAre("dpkg", "--force-unsafe-io", "--force-confdef", "--force-confold",
                          "--configure", "tops-eccl:" + eccl().architecture));
}

TEST_F(Unpacking, IsNoCallOfItsOwnWhereNothingIsObserved) {
  PlanOptions options;
  options.write_set = WriteSetWay::predicted;
  EXPECT_THAT(command(options).unobserved_argv, IsEmpty());
}

TEST_F(Unpacking, IsObservedForScriptsThatWrite) {
  for (const char* name : {"preinst", "prerm", "postrm"}) {
    eccl().deb->scripts = {{name, opaque}};
    EXPECT_TRUE(is_observed()) << name;
    eccl().deb->scripts = {{name, "#!/bin/sh\nmkdir /opt/x\n"}};
    EXPECT_TRUE(is_observed()) << name;
  }
}

TEST_F(Unpacking, IsObservedWhereOtherPackagesMayChange) {
  DebFacts& deb = *eccl().deb;
  for (std::string* field :
       {&deb.replaces, &deb.conflicts, &deb.breaks, &deb.pre_depends, &deb.triggers}) {
    *field = "x";
    EXPECT_TRUE(is_observed());
    field->clear();
  }
  EXPECT_FALSE(is_observed());
}

TEST_F(Unpacking, IsObservedForScriptsAndTriggersOfTheVersionBefore) {
  installed_eccl();
  EXPECT_FALSE(is_observed());
  installed_eccl().scripts = opaque;
  EXPECT_TRUE(is_observed());
  installed_eccl().has_triggers = true;
  EXPECT_TRUE(is_observed());
}

TEST_F(Unpacking, IsObservedWhereDpkgRunsOtherPrograms) {
  facts_.has_dpkg_overrides = true;
  EXPECT_TRUE(is_observed());
}

TEST_F(Unpacking, IsObservedWhereATriggerOrADiversionConcernsAFile) {
  facts_.trigger_paths = {"/usr/lib/libeccl", "/usr/share"};
  facts_.diversions = {{"/bin/sh", "/bin/sh.distrib"}};
  EXPECT_FALSE(is_observed());
  facts_.trigger_paths = {"/usr/lib"};
  EXPECT_TRUE(is_observed());
  facts_.trigger_paths = {"/usr/lib/libeccl.so"};
  EXPECT_TRUE(is_observed());
  facts_.trigger_paths.clear();
  facts_.diversions = {{"/usr/lib/x", "/usr/lib/libeccl.so"}};
  EXPECT_TRUE(is_observed());
  installed_eccl();
  facts_.diversions = {{"/usr/lib/old.so", "/usr/lib/x"}};
  EXPECT_TRUE(is_observed());
}

}  // namespace
}  // namespace topsctl
