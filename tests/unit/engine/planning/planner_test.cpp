// Plans: golden steps for the usual cases, and each refusal.
#include "topsctl/engine/planning/planner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/finding_catalogue.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

class Planning : public testing::Test {
 protected:
  Plan plan(const std::string& components = "") {
    const std::vector<std::string> ids = selected_components(stack_, components);
    const Selection selection = select_packages(stack_, inventory_, facts_, ids);
    return plan_install({stack_,
                         selection,
                         facts_,
                         preflight_,
                         {system_python_, settings_, mode_, way_},
                         host_warnings_});
  }
  // Makes the machine one on which the whole stack is installed.
  void install_everything() {
    for (const Package& package : inventory_.packages) {
      if (package.kind == PackageKind::deb) facts_.debs[package.name] = installed(package);
    }
    PythonFacts& python = facts_.pythons[0];
    python.wheels = {installed(sample_torch("3.8"), python)};
    facts_.files["/etc/profile.d/topsrider.sh"] = shell_file(*plan().environment);
  }
  Error refusal() {
    return thrown_by([&] { plan(); });
  }
  static std::vector<std::string> steps_of(const Plan& plan) {
    std::vector<std::string> steps;
    for (const Step& step : plan.steps) steps.push_back(step.id + ": " + step.description);
    return steps;
  }
  static const RunCommand& command_of(const Plan& plan, const std::string& id) {
    for (const Step& step : plan.steps) {
      if (step.id == id) return std::get<RunCommand>(step.action);
    }
    throw std::runtime_error("no step " + id);
  }
  static std::vector<PackageAction> actions_of(const Plan& plan) {
    std::vector<PackageAction> actions;
    for (const PlannedPackage& package : plan.packages) actions.push_back(package.action);
    return actions;
  }

  Stack stack_ = sample_stack();
  Inventory inventory_ = sample_inventory();
  HostFacts facts_ = sample_facts();
  SettingOptions settings_;
  SystemPython system_python_ = SystemPython::refuse;
  Preflight preflight_;
  InstallMode mode_ = InstallMode::apply;
  WriteSetWay way_ = WriteSetWay::automatic;
  std::vector<std::string> host_warnings_;
};

// Pre-Depends: what the selection's packages 0 to 2 need of each other decides on the calls.
TEST_F(Planning, GivesDpkgTheDebsInTheCallsThatAreAskedFor) {
  preflight_.fit.install_calls = {{2, 0}, {1}};
  EXPECT_THAT(steps_of(plan()),
              IsSupersetOf({"debs: dpkg --install topsfactor_2.5.136-1_amd64.deb "
                            "tops-eccl_2.5.136-1_amd64.deb",
                            "debs-2: dpkg --install tops-sdk_2.5.136-1_amd64.deb"}));
  install_everything();
  facts_.debs.erase("tops-sdk");
  EXPECT_THAT(steps_of(plan()), Contains("debs: dpkg --install tops-sdk_2.5.136-1_amd64.deb"));
}

TEST_F(Planning, OfAFreshInstallHasEveryStep) {
  const Plan made = plan();
  EXPECT_THAT(
      steps_of(made),
      ElementsAre("stage: copy the packages to the host and verify their digests",
                  "keep: back up affected files",
                  "debs: dpkg --install tops-eccl_2.5.136-1_amd64.deb tops-sdk_2.5.136-1_amd64.deb "
                  "topsfactor_2.5.136-1_amd64.deb",
                  "wheel-torch_gcu: install torch_gcu-1.10.0+2.5.136-py3.8-none-any.whl for "
                  "/usr/bin/python3.8",
                  "unchanged: check that torch is unchanged",
                  "environment: write /etc/profile.d/topsrider.sh", "loader-cache: ldconfig",
                  "checks: run 8 checks", "commit: sync the disks and commit"));
  EXPECT_EQ(made.command, "install");
  EXPECT_EQ(made.stack, "topsrider-t2x");
  EXPECT_EQ(made.python, "/usr/bin/python3.8");
  EXPECT_EQ(made.python_version, "3.8.10");
  EXPECT_THAT(made.warnings, IsEmpty());
  EXPECT_THAT(
      command_of(made, "debs").argv,
      ElementsAre("dpkg", "--force-unsafe-io", "--force-confdef", "--force-confold", "--install",
                  "{stage}/tops-eccl_2.5.136-1_amd64.deb", "{stage}/tops-sdk_2.5.136-1_amd64.deb",
                  "{stage}/topsfactor_2.5.136-1_amd64.deb"));
}

TEST_F(Planning, LetsDpkgDeconfigureWhatAPackageBreaksAndThePlanReplaces) {
  facts_.debs["tops-sdk"] = {"tops-sdk", "1.0-1", "amd64", dpkg_status("install ok installed"),
                             {},         ""};
  const auto deconfigures = [&] {
    const std::vector<std::string> argv = command_of(plan(), "debs").argv;
    return std::find(argv.begin(), argv.end(), "--auto-deconfigure") != argv.end();
  };
  Package& eccl = inventory_.packages[0];
  eccl.deb = DebFacts{};
  eccl.deb->breaks = "tops-sdk (<< 1.0)";
  EXPECT_FALSE(deconfigures());
  eccl.deb->breaks = "other, tops-sdk (<< 2.0)";
  EXPECT_TRUE(deconfigures());
}

TEST_F(Planning, OfAFreshInstallShowsThePackages) {
  const PlannedPackage package = plan().packages.at(0);
  EXPECT_EQ(package.component, "eccl");
  EXPECT_EQ(package.name, "tops-eccl");
  EXPECT_EQ(package.before, std::nullopt);
  EXPECT_EQ(package.after, "2.5.136-1");
  EXPECT_EQ(package.action, PackageAction::install);
  EXPECT_EQ(package.location, "/bundle/deb/tops-eccl_2.5.136-1_amd64.deb");
  EXPECT_EQ(package.file, "tops-eccl_2.5.136-1_amd64.deb");
  EXPECT_EQ(package.sha256, "sha256 of tops-eccl 2.5.136-1");
  EXPECT_EQ(package.size, 1000U);
}

TEST_F(Planning, IsTheSameWhenDoneTwice) {
  EXPECT_EQ(plan(), plan());
}

TEST_F(Planning, OfWhatIsInstalledAlreadyHasNoStep) {
  install_everything();
  const Plan made = plan();
  EXPECT_THAT(made.steps, IsEmpty());
  EXPECT_THAT(actions_of(made), testing::Each(PackageAction::keep));
  EXPECT_EQ(made.packages[0].before, "2.5.136-1");
}

TEST_F(Planning, WritesTheEnvironmentAloneWhenOnlyItIsMissing) {
  install_everything();
  facts_.files["/etc/profile.d/topsrider.sh"] += "# changed by hand\n";
  const Plan made = plan();
  EXPECT_THAT(
      steps_of(made),
      ElementsAre("keep: back up affected files", "environment: write /etc/profile.d/topsrider.sh",
                  "checks: run 8 checks", "commit: sync the disks and commit"));
  const auto& file = std::get<WriteFile>(made.steps[1].action);
  EXPECT_EQ(file.content, shell_file(*made.environment));
  EXPECT_EQ(file.mode, 0644U);
}

TEST_F(Planning, KeepsTheSettingsOfTheEnvironmentFile) {
  settings_ = {"prod", {"A=b"}, {}, false};
  install_everything();
  settings_ = {};
  EXPECT_THAT(plan().steps, IsEmpty());
  EXPECT_EQ(plan().environment->settings, (EnvironmentSettings{"prod", {{"A", "b"}}, {}}));
  settings_ = {"none", {}, {}, false};
  EXPECT_EQ(plan().environment->settings, (EnvironmentSettings{"", {{"A", "b"}}, {}}));
  EXPECT_EQ(plan().steps[1].id, "environment");
  settings_ = {"prd", {}, {}, false};
  EXPECT_THAT(refusal().message(), HasSubstr("did you mean 'prod'?"));
}

TEST_F(Planning, UpgradesAndDowngrades) {
  install_everything();
  facts_.debs["tops-eccl"].version = "2.5.87-1";
  facts_.debs["tops-sdk"].version = "2.6.1-1";
  facts_.pythons[0].wheels[0].version = "1.10.0+2.5.87";
  const Plan made = plan();
  EXPECT_THAT(actions_of(made), ElementsAre(PackageAction::upgrade, PackageAction::downgrade,
                                            PackageAction::keep, PackageAction::upgrade));
  EXPECT_EQ(made.packages[0].before, "2.5.87-1");
  EXPECT_THAT(made.warnings, ElementsAre("tops-sdk is downgraded from 2.6.1-1 to 2.5.136-1"));
  EXPECT_THAT(command_of(made, "debs").argv, Not(Contains(HasSubstr("topsfactor"))));
  EXPECT_THAT(command_of(made, "debs").argv, Contains("--force-downgrade"));
  facts_.debs["tops-sdk"].version = "2.5.1-1";
  facts_.pythons[0].wheels[0].version = "1.10.0.dev3";  // older by PEP 440, newer for dpkg
  EXPECT_THAT(actions_of(plan()), ElementsAre(PackageAction::upgrade, PackageAction::upgrade,
                                              PackageAction::keep, PackageAction::upgrade));
  EXPECT_THAT(command_of(plan(), "debs").argv, Not(Contains("--force-downgrade")));
}

TEST_F(Planning, InstallsAgainWhatHasTheVersionButNotTheContent) {
  install_everything();
  facts_.debs["tops-eccl"].md5sums = "other  usr/lib/libeccl.so\n";
  facts_.debs["tops-sdk"].md5sums = "";
  facts_.pythons[0].wheels[0].record = "torch_gcu/__init__.py,sha256=patched,1\n";
  const Plan made = plan();
  EXPECT_THAT(actions_of(made), ElementsAre(PackageAction::reinstall, PackageAction::reinstall,
                                            PackageAction::keep, PackageAction::reinstall));
}

TEST_F(Planning, InstallsWhatIsOnlyThereInPart) {
  install_everything();
  for (const char* status : {"install ok half-configured", "deinstall ok config-files",
                             "install ok half-installed", "install ok unpacked"}) {
    facts_.debs["tops-eccl"].status = dpkg_status(status);
    EXPECT_EQ(plan().packages[0].action, PackageAction::install) << status;
  }
}

TEST_F(Planning, OfSomeComponentsTouchesThoseOnly) {
  const Plan made = plan("eccl");
  EXPECT_THAT(
      steps_of(made),
      ElementsAre("stage: copy the packages to the host and verify their digests",
                  "keep: back up affected files",
                  "debs: dpkg --install tops-eccl_2.5.136-1_amd64.deb",
                  "environment: write /etc/profile.d/topsrider.sh", "loader-cache: ldconfig",
                  "checks: run 4 checks", "commit: sync the disks and commit"));
  EXPECT_EQ(made.python, "");
}

TEST_F(Planning, WarnsOfVariablesWithoutAValue) {
  EXPECT_THAT(plan("eccl").warnings, Contains(HasSubstr("no value for TOPS_SDK_PATH")));
}

TEST_F(Planning, WarnsOfAPythonTheVendorDoesNotName) {
  facts_.pythons = {sample_python("3.11")};
  inventory_.packages.back().python->minor = "3.11";
  EXPECT_THAT(plan().warnings,
              ElementsAre("Python 3.11 is not among the vendor's tested versions (3.6, 3.8)"));
}

TEST_F(Planning, TakesFoldersOfInstalledDebsForTheEnvironment) {
  install_everything();
  const Plan made = plan("eccl");
  EXPECT_THAT(made.environment->left_out, IsEmpty());
}

TEST_F(Planning, RefusesAnotherArchitecture) {
  inventory_.packages[1].architecture = "arm64";
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_EQ(error.message(), "architecture-differs: tops-sdk is for arm64, the host is amd64");
  inventory_.packages[1].architecture = "all";
  EXPECT_NO_THROW(plan());
}

TEST_F(Planning, RefusesAMachineWithUnfinishedPackages) {
  facts_.unfinished = {"linux-image (install ok half-configured)", "x (y)"};
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_EQ(error.message(),
            "package-half-installed: dpkg has packages that are not fully installed: linux-image "
            "(install ok half-configured), x (y)");
  EXPECT_THAT(error.hint(), HasSubstr("dpkg --audit"));
}

TEST_F(Planning, NeedsNoPip) {
  facts_.pythons[0].pip_version.clear();
  EXPECT_NO_THROW(plan());
  facts_.pythons[0].scheme = {};
  EXPECT_THAT(refusal().message(), HasSubstr("does not report where it installs packages"));
  EXPECT_NO_THROW(plan("eccl")) << "nothing is installed for an interpreter";
}

TEST_F(Planning, ChecksAWheelOfWhichTheStackChecksNothing) {
  std::erase_if(stack_.checks,
                [](const CheckRule& check) { return check.kind == CheckKind::wheel_installed; });
  const Plan made = plan();
  const auto& run = std::get<RunChecks>(made.steps[made.steps.size() - 2].action);
  EXPECT_EQ(run.checks.back().id, "installed-torch_gcu");
  EXPECT_EQ(run.checks.back().kind, CheckKind::wheel_installed);
}

TEST_F(Planning, TriesTheCardsWhereAllOfThemAreToBeSeen) {
  const auto trials = [this](const std::string& components = "") {
    const Plan made = plan(components);
    std::vector<std::string> found;
    for (const CheckRule& rule :
         std::get<RunChecks>(made.steps[made.steps.size() - 2].action).checks)
      if (rule.level > CheckLevel::import) found.push_back(rule.id);
    return found;
  };
  EXPECT_THAT(trials(), IsEmpty());
  facts_.card_nodes = 7;
  EXPECT_THAT(trials(), IsEmpty());
  facts_.card_nodes = 8;
  EXPECT_THAT(trials(),
              ElementsAre("device-count", "card-arithmetic", "eccl-group", "torch-distributed"));
  EXPECT_THAT(trials("eccl"), IsEmpty());
}

TEST_F(Planning, RefusesAWheelThatWouldChangeTorch) {
  inventory_.packages.back().files->push_back({"torch/cuda.py", PayloadEntry::Type::file, 1});
  EXPECT_EQ(refusal().code(), ErrorCode::bad_package);
}

TEST_F(Planning, RefusesAnInterpreterThatTheSystemManagesUnlessPermitted) {
  facts_.pythons[0].externally_managed = true;
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("managed by the operating system (PEP 668)"));
  EXPECT_THAT(error.hint(), HasSubstr("specify the interpreter of a virtual environment with "
                                      "--python, or allow this one with --allow-system-python"));
  EXPECT_THAT(error.hint(), HasSubstr("--allow-system-python"));
  facts_.is_python_named = true;
  EXPECT_THAT(refusal().hint(), HasSubstr("`/usr/bin/python3.8 -m venv DIR`"));
  EXPECT_THAT(refusal().hint(), Not(HasSubstr("with --python")));
  EXPECT_THAT(refusal().hint(), HasSubstr("--allow-system-python"));
  system_python_ = SystemPython::allow;
  EXPECT_NO_THROW(plan());
}

TEST_F(Planning, ObservesByItselfWhatNoTextTells) {
  inventory_.packages[0].deb.emplace().scripts = {{"postinst", "#!/bin/sh\npython3 -c 'x'\n"}};
  EXPECT_EQ(plan().knowledge.known, "observed");
}

TEST_F(Planning, SaysOfServicesOnlyWhereAScriptTouchesThem) {
  ASSERT_EQ(plan().steps.at(2).id, "debs");
  EXPECT_THAT(plan().steps.at(2).not_restored, IsEmpty());
  inventory_.packages[0].deb.emplace().scripts = {{"postinst", "#!/bin/sh\nsystemctl restart x\n"}};
  EXPECT_THAT(plan().steps.at(2).not_restored,
              ElementsAre("services started, stopped or restarted by package scripts"));
}

TEST_F(Planning, TakesRoomDirectoriesAndFindingsFromThePreflight) {
  const Plan before = plan();
  preflight_.fit.space = {{"/", 1000}, {"/opt", 24}};
  preflight_.own_folders = {"/opt/tops/lib"};
  preflight_.fit.findings = {make_finding("no-space", "/opt"),
                             make_finding(downgrade_finding, "a.deb"),
                             make_finding("needs-several-calls", "a.deb")};
  host_warnings_ = {"the clock is 2 days behind"};
  const Plan made = plan();
  EXPECT_EQ(before.needed_bytes, 0U);
  EXPECT_EQ(made.needed_bytes, 1024U);
  EXPECT_THAT(made.write_set.families,
              Contains(PathFamily{"/opt/tops/lib", "", Writing::in_place, true}));
  EXPECT_THAT(before.write_set.families,
              Not(Contains(PathFamily{"/opt/tops/lib", "", Writing::in_place, true})));
  EXPECT_THAT(made.warnings, ElementsAre(HasSubstr("no-space: "), "the clock is 2 days behind"));
}

}  // namespace
}  // namespace topsctl
