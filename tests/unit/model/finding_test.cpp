// The order and the JSON form of findings.
#include "topsctl/model/finding.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace topsctl {
namespace {

TEST(FindingJson, HasEveryFieldAndNullForNothing) {
  EXPECT_EQ(to_json(Finding{}).dump(),
            R"({"id":"","severity":"info","title":"","subject":"","evidence":[],"cause":"",)"
            R"("remedy":{"text":"","command":null,"risk":"none"}})");
}

TEST(FindingJson, ShowsEvidenceWithItsLineIfThereIsOne) {
  Finding finding;
  finding.evidence = {{"file", 0, "a"}, {"file", 7, "b"}};
  finding.remedy = {"restart it", "systemctl restart x", Risk::restart_service};
  const Json json = to_json(finding);
  EXPECT_EQ(json["evidence"].dump(),
            R"([{"source":"file","line":null,"text":"a"},{"source":"file","line":7,"text":"b"}])");
  EXPECT_EQ(json["remedy"].dump(),
            R"({"text":"restart it","command":"systemctl restart x","risk":"restart-service"})");
}

TEST(FindingNames, OfSeveritiesAndRisksAreThoseOfTheInterface) {
  EXPECT_EQ(name(Severity::info), "info");
  EXPECT_EQ(name(Severity::warning), "warning");
  EXPECT_EQ(name(Severity::error), "error");
  EXPECT_EQ(name(Severity::critical), "critical");
  EXPECT_EQ(name(Risk::none), "none");
  EXPECT_EQ(name(Risk::restart_job), "restart-job");
  EXPECT_EQ(name(Risk::restart_service), "restart-service");
  EXPECT_EQ(name(Risk::reboot), "reboot");
}

TEST(SortedFindings, HaveTheWorstFirstThenGoByIdThenBySubject) {
  std::vector<Finding> findings(5);
  const auto set = [&](std::size_t i, Severity severity, const char* id, const char* subject) {
    findings[i].severity = severity;
    findings[i].id = id;
    findings[i].subject = subject;
  };
  set(0, Severity::info, "a", "a");
  set(1, Severity::error, "b", "a");
  set(2, Severity::error, "a", "b");
  set(3, Severity::critical, "c", "a");
  set(4, Severity::error, "a", "a");
  const std::vector<Finding> given = findings;
  sort_findings(findings);
  EXPECT_EQ(findings, (std::vector<Finding>{given[3], given[4], given[2], given[1], given[0]}));
}

}  // namespace
}  // namespace topsctl
