// The answer as a whole: what is taken, its JSON, and that order does not matter.
#include "topsctl/engine/compatibility/compatibility.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;

class Compatibility : public SampleCompatibility {
 protected:
  // A bundle and a target with a little of everything.
  void sample() {
    deb("tops-sdk", "2.5.136-1", {"/opt/tops/a", "/usr/lib/x"}).deb->depends = "tops-eccl, libelf1";
    deb("tops-eccl", "2.5.136-1", {"/usr/lib/libeccl.so", "/usr/lib/x"}).deb->conflicts = "eccl";
    deb("topsfactor", "2", {"/usr/bin/xz"}).deb->breaks = "tops-sdk (<< 2.5.136)";
    deb("topsfactor", "1.9", {"/usr/bin/old"});
    deb("loop-a", "1").deb->depends = "loop-b";
    deb("loop-b", "1").deb->depends = "loop-a, tops-sdk";
    wheel("torch_gcu", "1.10.0", "py3.8-none-any", "3.8");
    wheel("torch_gcu", "1.10.0", "py3.6-none-any", "3.6");
    wheel("horovod", "0.19.1.115.gcu", "py3-none-any");
    wheel("arm", "1", "py3-none-linux_aarch64");
    installed("eccl", "1", {"/usr/lib/libeccl.so"});
    installed("xz-utils", "5", {"/usr/bin/xz"});
    installed("tops-sdk", "2.5.115-1");
    installed("app", "1").depends = "tops-sdk (= 2.5.115-1)";
    target_.pythons = {sample_python("3.8"), sample_python("3.11")};
    target_.pythons[0].pip_version = "24.2";
    target_.pythons[1].pip_version = "24.2";
    target_.mounts = {{"/", "ext4", false, 10, 0, false}};
  }

  // All that is said, with paths instead of indices.
  std::string said(const Inspection& inspection) const {
    const CompatibilityReport fit =
        fit_of(inspection, packages_to_fit(inspection.inventory), target_, rules_);
    Json findings = Json::array();
    for (const Finding& finding : fit.findings) findings.push_back(to_json(finding));
    return to_text(to_json(fit, inspection.inventory, target_)) + to_text(findings);
  }
};

TEST_F(Compatibility, DoesNotDependOnTheOrderOfPackages) {
  sample();
  const std::string expected = said(inspection_);
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    Inspection shuffled = inspection_;
    std::shuffle(shuffled.inventory.packages.begin(), shuffled.inventory.packages.end(), random);
    std::shuffle(target_.packages.begin(), target_.packages.end(), random);
    ASSERT_EQ(said(shuffled), expected);
  }
}

TEST_F(Compatibility, PutsTheWorstFirst) {
  sample();
  EXPECT_THAT(ids(),
              ElementsAre("architecture-differs wheels/arm-1-py3-none-linux_aarch64.whl",
                          "breaks-installed deb/tops-sdk_2.5.136-1_amd64.deb",
                          "conflicts-with-installed deb/tops-eccl_2.5.136-1_amd64.deb",
                          "dependency-missing deb/tops-sdk_2.5.136-1_amd64.deb",
                          "file-conflict deb/topsfactor_2_amd64.deb",
                          "file-conflict-in-bundle deb/tops-sdk_2.5.136-1_amd64.deb", "no-space /",
                          "pip-refuses-version wheels/horovod-0.19.1.115.gcu-py3-none-any.whl",
                          "dependency-cycle deb/loop-a_1_amd64.deb"));
}

TEST_F(Compatibility, TakesTheNewestDebOfEachNameAndEveryWheel) {
  sample();
  EXPECT_THAT(packages_to_fit(inspection_.inventory), ElementsAre(0, 1, 2, 4, 5, 6, 7, 8, 9));
}

TEST_F(Compatibility, TakesAllThatIsSoundWhereNothingIsChosen) {
  sample();
  for (Package& package : inspection_.inventory.packages) package.chosen = false;
  inspection_.inventory.packages[0].verdict = Verdict::broken;
  inspection_.inventory.packages[1].verdict = Verdict::archived;
  EXPECT_THAT(packages_to_fit(inspection_.inventory), ElementsAre(2, 4, 5, 6, 7, 8, 9));
}

TEST_F(Compatibility, PrefersTheDebForTheTargetsArchitecture) {
  deb("tops-sdk", "3").architecture = "arm64";
  deb("tops-sdk", "2");
  const CompatibilityReport fit = fit_of(inspection_, {0, 1}, target_);
  EXPECT_THAT(fit.install_calls, ElementsAre(ElementsAre(1)));
}

TEST_F(Compatibility, IsRenderedAsJson) {
  deb("tops-sdk", "2");
  wheel("ptex", "1", "py3.6-none-any", "3.6");
  installed("tops-sdk", "1");
  target_.pythons = {sample_python("3.8")};
  target_.mounts = {{"/", "ext4", false, 1U << 30U, 0, false}};
  target_.host_name = "gpu-1";
  rules_.dpkg_overhead = 4096;
  const Json json = to_json(fit(), inspection_.inventory, target_);
  EXPECT_EQ(json, Json::parse(R"({
    "target": {"host_name": "gpu-1", "taken_at": null, "os": null, "architecture": "amd64",
      "kernel": null, "glibc": "2.31", "dpkg_version": "1.19.7"},
    "changes": [{"path": "deb/tops-sdk_2_amd64.deb", "kind": "deb", "name": "tops-sdk",
      "python": null, "now": "1", "then": "2", "action": "upgrade"}],
    "install_order": [{"name": "tops-sdk", "path": "deb/tops-sdk_2_amd64.deb", "call": 1}],
    "space": [{"mount": "/", "needed_bytes": 4096, "free_bytes": 1073741824, "needed_inodes": 2,
      "free_inodes": null, "read_only": false}],
    "interpreters": [{"executable": "/usr/bin/python3.8", "minor": "3.8", "pip_version": "20.0.2",
      "taken": false, "wheels": [{"distribution": "ptex", "wheel": null,
        "why": "it is for Python 3.6"}]}],
    "libraries_checked": false})"));
}

TEST_F(Compatibility, OfNothingSaysNothing) {
  const CompatibilityReport nothing = fit_of({}, {}, {});
  EXPECT_TRUE(nothing.findings.empty());
  EXPECT_TRUE(nothing.changes.empty());
  EXPECT_FALSE(nothing.libraries_checked);
}

}  // namespace
}  // namespace topsctl
