// The JSON form of plans: every field, every kind of step.
#include "topsctl/model/plan.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topsctl {
namespace {

TEST(PlanJson, HasEveryFieldAndNullForNothing) {
  EXPECT_EQ(
      to_json(Plan{}).dump(),
      R"({"command":"","stack":null,"release":null,"python":null,"python_version":null,"wheel_backend":null,"packages":[],)"
      R"("environment":null,"steps":[],"predicted_paths":0})");
}

TEST(PlanJson, ShowsPackages) {
  Plan plan;
  PlannedPackage package;
  package.component = "eccl";
  package.name = "tops-eccl";
  package.after = "2";
  package.file = "e.deb";
  package.sha256 = "ab";
  package.size = 7;
  package.location = "/somewhere/e.deb";
  plan.packages.push_back(package);
  package.before = "1";
  package.action = PackageAction::upgrade;
  plan.packages.push_back(package);
  const Json packages = to_json(plan)["packages"];
  EXPECT_EQ(packages[0].dump(),
            R"({"component":"eccl","kind":"deb","name":"tops-eccl","before":null,"after":"2",)"
            R"("action":"install","file":"e.deb","sha256":"ab","size":7})");
  EXPECT_EQ(packages[1]["before"], "1");
  EXPECT_EQ(packages[1]["action"], "upgrade");
}

std::string step_json(const StepAction& action) {
  Plan plan;
  plan.steps.push_back({"id", "what", action, {"a service"}});
  return to_json(plan)["steps"][0].dump();
}

TEST(PlanJson, ShowsEveryKindOfStepWithItsParameters) {
  const auto expected = [](const std::string& action, const std::string& parameters) {
    return R"({"id":"id","action":")" + action + R"(","description":"what","parameters":)" +
           parameters + R"(,"not_restored":["a service"]})";
  };
  CheckRule rule;
  rule.id = "sdk-installed";
  EXPECT_EQ(step_json(StagePackages{}), expected("stage-packages", "{}"));
  EXPECT_EQ(step_json(KeepWriteSet{}), expected("keep-write-set", "{}"));
  EXPECT_THAT(step_json(RunCommand{"dpkg", {"dpkg", "-b"}, 60, {"dpkg", "-a"}}),
              testing::HasSubstr(R"("unobserved_argv":["dpkg","-a"])"));
  EXPECT_EQ(step_json(RunCommand{"dpkg", {"dpkg", "-i"}, 60}),
            expected("run-command", R"({"argv":["dpkg","-i"],"timeout_s":60,"environment":{}})"));
  EXPECT_EQ(step_json(WriteFile{"/etc/x", "y\n", 0644}),
            expected("write-file", R"({"path":"/etc/x","content":"y\n","mode":420})"));
  EXPECT_EQ(step_json(RunChecks{{rule}}),
            expected("run-checks", R"({"checks":["sdk-installed"]})"));
  EXPECT_EQ(step_json(Commit{}), expected("commit", "{}"));
  EXPECT_EQ(step_json(RestoreWriteSet{7}), expected("restore-write-set", R"({"transaction":7})"));
}

TEST(PlanJson, ShowsEnvironmentAndInterpreterAndTheSizeOfTheWriteSet) {
  Plan plan;
  plan.python = "/usr/bin/python3";
  plan.python_version = "3.8.10";
  plan.environment = Environment{};
  plan.write_set.paths = {"/a", "/b"};
  const Json json = to_json(plan);
  EXPECT_EQ(json["python"], "/usr/bin/python3");
  EXPECT_EQ(json["python_version"], "3.8.10");
  EXPECT_TRUE(json["environment"].is_object());
  EXPECT_EQ(json["predicted_paths"], 2);
}

TEST(PlanNames, OfActionsAreThoseOfTheInterface) {
  EXPECT_EQ(name(PackageAction::install), "install");
  EXPECT_EQ(name(PackageAction::upgrade), "upgrade");
  EXPECT_EQ(name(PackageAction::downgrade), "downgrade");
  EXPECT_EQ(name(PackageAction::reinstall), "reinstall");
  EXPECT_EQ(name(PackageAction::keep), "keep");
}

}  // namespace
}  // namespace topsctl
