// Which packages of a bundle are taken for which machine.
#include "topsctl/engine/planning/selection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Selecting : public testing::Test {
 protected:
  Selection select(const std::string& components = "") {
    return select_packages(stack_, inventory_, facts_, selected_components(stack_, components));
  }
  std::vector<std::string> files(const std::string& components = "") {
    std::vector<std::string> files;
    for (const Package& package : select(components).packages) {
      files.push_back(package.path.substr(package.path.rfind('/') + 1));
    }
    return files;
  }

  Stack stack_ = sample_stack();
  Inventory inventory_ = sample_inventory();
  HostFacts facts_ = sample_facts();
};

TEST_F(Selecting, TakesOnePackageOfEachComponentInTheStacksOrder) {
  std::reverse(inventory_.packages.begin(), inventory_.packages.end());
  const Selection selection = select();
  EXPECT_THAT(files(), ElementsAre("tops-eccl_2.5.136-1_amd64.deb", "tops-sdk_2.5.136-1_amd64.deb",
                                   "topsfactor_2.5.136-1_amd64.deb",
                                   "torch_gcu-1.10.0+2.5.136-py3.8-none-any.whl"));
  EXPECT_EQ(selection.python, &facts_.pythons[0]);
  for (const Package& package : selection.packages) {
    EXPECT_TRUE(package.chosen);
    EXPECT_EQ(package.stack, "topsrider-t2x");
  }
  EXPECT_EQ(selection.packages[3].component, "torch_gcu");
}

TEST_F(Selecting, TakesTheNewestDeb) {
  inventory_.packages.push_back(sample_deb("tops-eccl", "2.5.136-10", {}));
  inventory_.packages.push_back(sample_deb("eccl", "2.5.136-9", {}));
  EXPECT_EQ(files("eccl"), std::vector<std::string>{"tops-eccl_2.5.136-10_amd64.deb"});
}

TEST_F(Selecting, PassesOverOtherVersionsAndArchivedPackages) {
  inventory_.packages.push_back(sample_deb("tops-eccl", "2.6.1-1", {}));
  inventory_.packages.push_back(sample_deb("tops-eccl", "2.5.136-2", {}));
  inventory_.packages.back().verdict = Verdict::archived;
  EXPECT_EQ(files("eccl"), std::vector<std::string>{"tops-eccl_2.5.136-1_amd64.deb"});
}

TEST_F(Selecting, TakesTheWheelOfTheInterpreter) {
  facts_.pythons = {sample_python("3.6")};
  EXPECT_EQ(files("torch_gcu"),
            std::vector<std::string>{"torch_gcu-1.10.0+2.5.136-py3.6-none-any.whl"});
}

TEST_F(Selecting, TakesTheFirstInterpreterThatFits) {
  facts_.pythons = {sample_python("3.11"), sample_python("3.6"), sample_python("3.8")};
  EXPECT_EQ(select().python, &facts_.pythons[1]);
}

TEST_F(Selecting, TakesAWheelForAnyPython) {
  inventory_.packages.erase(inventory_.packages.begin() + 3, inventory_.packages.end());
  inventory_.packages.push_back(sample_torch("3.8"));
  inventory_.packages.back().python->minor.reset();
  inventory_.packages.back().python->tags = {"py3-none-any"};
  facts_.pythons = {sample_python("3.11")};
  EXPECT_EQ(select().python, &facts_.pythons[0]);
}

TEST_F(Selecting, TakesAWheelOnlyForAVersionOfItsTags) {
  inventory_.packages.erase(inventory_.packages.begin() + 3, inventory_.packages.end());
  inventory_.packages.push_back(sample_torch("3.8"));
  inventory_.packages.back().python->minor.reset();
  inventory_.packages.back().python->tags = {"cp36.cp37-none-any"};
  facts_.pythons = {sample_python("3.11"), sample_python("3.7")};
  EXPECT_EQ(select().python, &facts_.pythons[1]);
  inventory_.packages.back().python->tags = {"py2-none-any"};
  EXPECT_EQ(thrown_by([&] { select(); }).code(), ErrorCode::host_unfit);
}

TEST_F(Selecting, NeedsNoInterpreterWithoutAWheel) {
  facts_.pythons.clear();
  EXPECT_EQ(select("eccl,sdk").python, nullptr);
  EXPECT_EQ(files("sdk,eccl").size(), 2U);
}

TEST_F(Selecting, NamesAMissingComponent) {
  inventory_.packages.erase(inventory_.packages.begin());
  const Error error = thrown_by([&] { select(); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bundle);
  EXPECT_EQ(error.message(),
            "the bundle has no package for component 'eccl' (tops-eccl or eccl 2.5.136)");
  EXPECT_THAT(error.hint(), HasSubstr("--components"));
}

TEST_F(Selecting, DoesWithoutAComponentThatIsNotRequired) {
  stack_.components[0].required = false;
  inventory_.packages.erase(inventory_.packages.begin());
  EXPECT_EQ(files().size(), 3U);
}

TEST_F(Selecting, RefusesABrokenPackageThatIsNamedLikeAComponent) {
  Package broken;
  broken.kind = PackageKind::deb;
  broken.path = "deb/tops-sdk_2.5.136-1_amd64.deb";
  broken.verdict = Verdict::broken;
  broken.problem = "cannot read 'tops-sdk_2.5.136-1_amd64.deb': cut short";
  inventory_.packages.push_back(broken);
  const Error error = thrown_by([&] { select(); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_EQ(error.message(), broken.problem);
  EXPECT_EQ(files("eccl").size(), 1U) << "it matters only to its own component";
}

TEST_F(Selecting, SaysWhichInterpretersThereAreWhenNoneFits) {
  facts_.pythons = {sample_python("3.11"), sample_python("3.9")};
  const Error error = thrown_by([&] { select(); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_EQ(error.message(),
            "no-interpreter-for-wheel: no interpreter matches the wheels: the bundle has them for "
            "Python 3.6, 3.8, the host has 3.11 (/usr/bin/python3.11), 3.9 (/usr/bin/python3.9)");
  EXPECT_THAT(error.hint(), HasSubstr("specify an interpreter with --python"));
  facts_.pythons.clear();
  EXPECT_THAT(thrown_by([&] { select(); }).message(), HasSubstr("the host has none"));
}

TEST_F(Selecting, DoesNotProposeToNameAnInterpreterToWhomHasNamedOne) {
  facts_.pythons = {sample_python("3.11")};
  facts_.is_python_named = true;
  const Error error = thrown_by([&] { select(); });
  EXPECT_THAT(error.hint(), HasSubstr("omit --python to try"));
  EXPECT_THAT(error.hint(), Not(HasSubstr("with --python")));
}

TEST_F(Selecting, IdentifiesEveryPackage) {
  inventory_.packages.push_back(sample_deb("unrelated", "1", {}));
  inventory_.packages.push_back(sample_deb("tops-eccl", "2.5.136-2", {}));
  inventory_.packages.push_back(sample_deb("tops-eccl", "2.5.136-3", {}));
  inventory_.packages[6].verdict = Verdict::archived;
  inventory_.packages[7].verdict = Verdict::broken;
  identify(stack_, inventory_);
  const std::vector<Package>& p = inventory_.packages;
  EXPECT_EQ(p[0].component, "eccl");
  EXPECT_EQ(p[0].verdict, Verdict::component);
  EXPECT_TRUE(p[0].chosen);
  EXPECT_TRUE(p[3].chosen && p[4].chosen) << "which wheel depends on the interpreter";
  EXPECT_EQ(p[5].component, "");
  EXPECT_EQ(p[5].verdict, Verdict::unknown);
  EXPECT_EQ(p[6].component, "eccl");
  EXPECT_EQ(p[6].verdict, Verdict::archived);
  EXPECT_FALSE(p[6].chosen);
  EXPECT_EQ(p[7].component, "");
  EXPECT_FALSE(p[7].chosen);
}

TEST_F(Selecting, ChoosesTheNewestDebForAnInspection) {
  inventory_.packages.push_back(sample_deb("tops-eccl", "2.5.136-2", {}));
  identify(stack_, inventory_);
  EXPECT_FALSE(inventory_.packages[0].chosen);
  EXPECT_TRUE(inventory_.packages[5].chosen);
}

TEST_F(Selecting, ReadsListsOfComponents) {
  EXPECT_THAT(selected_components(stack_, ""),
              ElementsAre("eccl", "sdk", "topsfactor", "torch_gcu"));
  EXPECT_THAT(selected_components(stack_, " torch_gcu , eccl,eccl"),
              ElementsAre("eccl", "torch_gcu"));
}

TEST_F(Selecting, RefusesUnknownComponentsByName) {
  const Error error = thrown_by([&] { selected_components(stack_, "eccl,skd"); });
  EXPECT_EQ(error.code(), ErrorCode::usage);
  EXPECT_EQ(error.message(),
            "unknown component 'skd' of stack 'topsrider-t2x' (did you mean 'sdk'?)");
  EXPECT_EQ(error.hint(), "its components are eccl, sdk, topsfactor, torch_gcu");
  EXPECT_EQ(thrown_by([&] { selected_components(stack_, "eccl,"); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace topsctl
