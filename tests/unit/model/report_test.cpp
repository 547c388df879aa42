// The JSON form of reports, and package URLs.
#include "topsctl/model/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {
namespace {

TEST(Documents, BeginWithTheHeaderAndEndWithTheBody) {
  ReportHeader header;
  header.command = "install";
  EXPECT_EQ(document(header, Json{{"transaction", 1}}).dump(),
            concat(R"({"schema":1,"command":"install","topsctl_version":")", topsctl_version(),
                   R"(","status":"ok","error":null,"warnings":[],"transaction":1})"));
}

TEST(Documents, TellOfTheFailure) {
  ReportHeader header;
  header.exit = ExitCode::rolled_back;
  header.error = Error(ErrorCode::step_failed, "m", "h", {"c"});
  header.warnings = {"w"};
  const Json json = document(header, Json::object());
  EXPECT_EQ(json["status"], "rolled_back");
  EXPECT_EQ(json["error"].dump(),
            R"({"code":"step_failed","message":"m","context":["c"],"hint":"h"})");
  EXPECT_EQ(json["warnings"].dump(), R"(["w"])");
  header.error = Error(ErrorCode::internal, "m");
  EXPECT_TRUE(document(header, Json::object())["error"]["hint"].is_null());
}

TEST(PendingReports, HaveEveryStepAndPackageOfThePlanAndNothingDone) {
  Plan plan;
  plan.steps = {{"keep", "keep it", KeepWriteSet{}, {}}, {"commit", "commit it", Commit{}, {}}};
  PlannedPackage package;
  package.name = "tops-eccl";
  package.before = "1";
  package.after = "2";
  package.architecture = "amd64";
  plan.packages = {package};
  const TransactionReport report = pending_report(plan);
  EXPECT_EQ(report.plan, plan);
  EXPECT_EQ(report.outcome, Outcome::planned);
  ASSERT_EQ(report.steps.size(), 2U);
  EXPECT_EQ(report.steps[0].id, "keep");
  EXPECT_EQ(report.steps[0].action, "keep-write-set");
  EXPECT_EQ(report.steps[1].status, StepStatus::pending);
  ASSERT_EQ(report.packages.size(), 1U);
  EXPECT_EQ(report.packages[0].before, "1");
  EXPECT_EQ(report.packages[0].after, "2");
  EXPECT_EQ(report.packages[0].purl, "pkg:deb/tops-eccl@2?arch=amd64");
}

TEST(TransactionReportJson, HasEveryFieldAndNullForNothing) {
  EXPECT_EQ(
      to_json(TransactionReport{}).dump(),
      R"({"host":null,"user":null,"started_at":null,"bundle":null,)"
      R"("transaction":null,"outcome":"planned","root":"/","plan":null,"phases":[],)"
      R"("steps":[],"checks":[],"packages":[],"write_set":{"known":"predicted","reason":null,"paths":0,)"
      R"("bytes":0,"linked":0,"copied":0},"rollback":null,"compared":null,"escaped_paths":[],"not_restored":[],"kept_of_others":[],)"
      R"("stops":[],"durability":{"synced_mounts":[]},"locks":[],"inputs":[],"log":null,"logs":[],)"
      R"("confirm_until":null,"rebuilt":false,"changed":false,"failed":false,"msg":""})");
}

TEST(TransactionReportJson, ShowsWhatHappened) {
  TransactionReport report;
  report.transaction = 12;
  report.outcome = Outcome::rollback_incomplete;
  report.plan = Plan{};
  report.steps = {{"debs", "run-command", StepStatus::failed, 5, "said"}};
  report.checks = {CheckResult{}};
  report.packages = {{"tops-eccl", PackageKind::deb, std::nullopt, "2", "pkg:x"}};
  report.rollback = RollbackProof{3, {"/etc/x"}};
  report.synced_mounts = {"/"};
  report.locks = {{"/lock", "", 0}, {"/lock", "apt (pid 7)", 9}};
  report.log = "/var/log/topsctl/12.log";
  report.phases = {{"apply", "2026-11-20T10:15:00Z", 5}};
  report.logs = {{"log", "/var/log/topsctl/12.log", 9, "abcd"}};
  const Json json = to_json(report);
  EXPECT_EQ(json["phases"][0].dump(),
            R"({"name":"apply","started_at":"2026-11-20T10:15:00Z","duration_ms":5})");
  EXPECT_EQ(json["logs"][0].dump(),
            R"({"kind":"log","path":"/var/log/topsctl/12.log","bytes":9,"sha256":"abcd"})");
  EXPECT_EQ(json["transaction"], 12);
  EXPECT_EQ(json["outcome"], "rollback_incomplete");
  EXPECT_TRUE(json["plan"].is_object());
  EXPECT_EQ(json["steps"][0].dump(),
            R"({"id":"debs","action":"run-command","status":"failed","duration_ms":5,)"
            R"("detail":"said"})");
  EXPECT_EQ(json["packages"][0].dump(),
            R"({"name":"tops-eccl","kind":"deb","before":null,"after":"2","purl":"pkg:x"})");
  EXPECT_EQ(json["rollback"]["verified"].dump(),
            R"({"paths_checked":3,"paths_differing":1,"differing":["/etc/x"]})");
  EXPECT_EQ(json["locks"][0].dump(), R"({"path":"/lock","holder":null,"waited_ms":0})");
  EXPECT_EQ(json["locks"][1].dump(), R"x({"path":"/lock","holder":"apt (pid 7)","waited_ms":9})x");
  EXPECT_EQ(json["log"], "/var/log/topsctl/12.log");
  EXPECT_EQ(json["checks"].size(), 1U);
}

TEST(TransactionReportJson, OfWhatWasRolledBackHasThePackagesAsBefore) {
  TransactionReport report;
  report.origin = {"node1", "alice", "2026-11-20T10:15:00Z"};
  report.bundle = GivenBundle{{"./TopsRider"}, "abcd"};
  report.packages = {{"tops-eccl", PackageKind::deb, std::nullopt, "2", "pkg:x"},
                     {"tops-sdk", PackageKind::deb, "1", "2", "pkg:y"}};
  end_as_before(report, Outcome::rolled_back, "rolled back");
  const Json json = to_json(report);
  EXPECT_EQ(json["packages"][0]["after"], nullptr);
  EXPECT_EQ(json["packages"][1]["after"], "1");
  EXPECT_EQ(json["outcome"], "rolled_back");
  EXPECT_EQ(json["host"], "node1");
  EXPECT_EQ(json["user"], "alice");
  EXPECT_EQ(json["started_at"], "2026-11-20T10:15:00Z");
  EXPECT_EQ(json["bundle"].dump(), R"({"paths":["./TopsRider"],"sha256":"abcd"})");
}

TEST(TransactionSummaryJson, HasEveryField) {
  TransactionSummary summary;
  summary.id = 3;
  summary.outcome = "unfinished";
  EXPECT_EQ(
      to_json(summary).dump(),
      R"({"id":3,"kind":"install","host":null,"user":null,"started_at":null,"command":"","bundle":null,)"
      R"("outcome":"unfinished","reason":null,)"
      R"("packages":[],"project":null,"patched":[],"kept_bytes":0,"can_be_undone":false,"confirm_until":null})");
}

TEST(ReportNames, OfOutcomesAndStepsAreThoseOfTheInterface) {
  EXPECT_EQ(name(Outcome::committed), "committed");
  EXPECT_EQ(name(Outcome::rolled_back), "rolled_back");
  EXPECT_EQ(name(Outcome::rollback_incomplete), "rollback_incomplete");
  EXPECT_EQ(name(Outcome::no_change), "no_change");
  EXPECT_EQ(name(Outcome::planned), "planned");
  EXPECT_EQ(name(Outcome::failed_before_change), "failed_before_change");
  EXPECT_EQ(name(StepStatus::pending), "pending");
  EXPECT_EQ(name(StepStatus::done), "done");
  EXPECT_EQ(name(StepStatus::failed), "failed");
}

TEST(PackageUrls, NameDebsWithTheirArchitecture) {
  EXPECT_EQ(package_url(PackageKind::deb, "tops-eccl", "2.5.136-1", "amd64"),
            "pkg:deb/tops-eccl@2.5.136-1?arch=amd64");
}

TEST(PackageUrls, NameWheelsNormalised) {
  EXPECT_EQ(package_url(PackageKind::wheel, "Torch_GCU", "1.10.0+2.5.136", "any"),
            "pkg:pypi/torch-gcu@1.10.0%2B2.5.136");
}

TEST(PackageUrls, EncodeWhatIsNotPlainInAVersion) {
  EXPECT_EQ(package_url(PackageKind::deb, "a", "1~rc1+b@/?# %", "all"),
            "pkg:deb/a@1~rc1%2Bb%40%2F%3F%23%20%25?arch=all");
  EXPECT_EQ(package_url(PackageKind::deb, "a", "1\xc3\xa9", "all"), "pkg:deb/a@1%C3%A9?arch=all");
}

// ECMA-427: a colon shall not be percent-encoded, "pkg:deb/debian/attr@1:2.4.47-2%2Bb1".
TEST(PackageUrls, LeaveTheColonOfAnEpochAsItIs) {
  EXPECT_EQ(package_url(PackageKind::deb, "attr", "1:2.4.47-2+b1", "amd64"),
            "pkg:deb/attr@1:2.4.47-2%2Bb1?arch=amd64");
}

TEST(PackageUrls, EncodeTheNameToo) {
  EXPECT_EQ(package_url(PackageKind::deb, "libstdc++6", "12", "amd64"),
            "pkg:deb/libstdc%2B%2B6@12?arch=amd64");
}

}  // namespace

}  // namespace topsctl
