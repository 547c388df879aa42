// What an install refuses is foreseen with the same id, of a host and of a snapshot.
#include "topsctl/engine/planning/foresight.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_packages.hpp"
#include "support/sample_stack.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/planning/host_objections.hpp"
#include "topsctl/engine/planning/unchanged_wheels.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

class Foreseen : public testing::Test {
 protected:
  Foreseen() {
    inspection_.inventory = sample_inventory();
    inspection_.depth = Depth::deep;
    target_.architecture = "amd64";
    target_.pythons = {sample_python("3.8")};
  }
  std::vector<std::string> ids() {
    std::vector<std::string> ids;
    const HostFacts facts = facts_of(target_, stack_);
    for (const Finding& finding :
         foreseen_refusals(stack_, inspection_, target_, facts, std::nullopt))
      ids.push_back(finding.id);
    return ids;
  }
  // Of what an install would say.
  std::string refusal() {
    const HostFacts facts = facts_of(target_, stack_);
    const Error error = thrown_by([&] {
      const Selection selection =
          select_packages(stack_, inspection_.inventory, facts, stack_.component_ids());
      require_plannable(selection, facts, {});
      require_untouched(stack_, selection);
    });
    return error.message();
  }
  void expect_foreseen(const std::string& id) {
    EXPECT_THAT(ids(), ElementsAre(id));
    EXPECT_THAT(refusal(), StartsWith(id + ": "));
  }

  Stack stack_ = sample_stack();
  Inspection inspection_;
  TargetSnapshot target_;
};

TEST_F(Foreseen, IsNothingWhereNothingStandsAgainstIt) {
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(Foreseen, IsThatNoInterpreterOfTheStackTakesTheWheels) {
  target_.pythons = {sample_python("3.11")};
  expect_foreseen("no-interpreter-for-wheel");
}

TEST_F(Foreseen, IsAnInterpreterThatTheSystemManages) {
  target_.pythons[0].externally_managed = true;
  expect_foreseen("interpreter-managed-by-system");
}

TEST_F(Foreseen, IsAModuleInTheFormBeforeWheels) {
  target_.pythons[0].egg_infos = {"numpy", "Torch-GCU"};
  expect_foreseen("installed-as-egg");
}

TEST_F(Foreseen, IsAWheelThatWouldChangeTorch) {
  inspection_.inventory.packages.back().files->push_back(
      {"torch/cuda.py", PayloadEntry::Type::file, 1});
  expect_foreseen("changes-unchanged-module");
  inspection_.depth = Depth::digest;
  EXPECT_THAT(ids(), IsEmpty()) << "what the wheel holds was not looked at";
}

TEST_F(Foreseen, IsLeftToTheComparisonOfPackagesWhereThatTellsIt) {
  inspection_.inventory.packages[0].architecture = "arm64";
  TargetPackage half;
  half.name = "half";
  half.status = dpkg_status("install ok half-configured");
  target_.packages = {half};
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_THAT(refusal(), StartsWith("architecture-differs: "));
}

TEST_F(Foreseen, IsNothingForABundleWithoutACompleteStack) {
  inspection_.inventory.packages.clear();
  EXPECT_THAT(foreseen_refusals("", inspection_, target_, std::nullopt), IsEmpty());
}

}  // namespace
}  // namespace topsctl
