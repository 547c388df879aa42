// The order of findings, and which belong together.
#include "topsctl/engine/inspection/finding_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::IsEmpty;

Finding finding(const std::string& id, Severity severity, const std::string& subject) {
  Finding finding;
  finding.id = id;
  finding.severity = severity;
  finding.title = "title of " + id;
  finding.subject = subject;
  return finding;
}

TEST(FindingGroups, AreWorstFirstAndThenById) {
  const std::vector<Finding> findings = {
      finding("b-info", Severity::info, "x"), finding("z-error", Severity::error, "x"),
      finding("a-error", Severity::error, "x"), finding("m-critical", Severity::critical, "x"),
      finding("w", Severity::warning, "x")};
  std::vector<std::string> ids;
  for (const FindingGroup& group : finding_groups(findings)) ids.push_back(group.first().id);
  EXPECT_THAT(ids, testing::ElementsAre("m-critical", "a-error", "z-error", "w", "b-info"));
}

TEST(FindingGroups, HoldOneIdWithAllItsSubjectsInOrder) {
  const std::vector<Finding> findings = {finding("same", Severity::error, "c.deb"),
                                         finding("same", Severity::error, "a.deb"),
                                         finding("same", Severity::error, "b.deb")};
  const std::vector<FindingGroup> groups = finding_groups(findings);
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].findings.size(), 3U);
  EXPECT_EQ(groups[0].findings[0]->subject, "a.deb");
  EXPECT_EQ(groups[0].findings[2]->subject, "c.deb");
}

TEST(FindingGroups, KeepApartWhatHasAnotherRemedy) {
  std::vector<Finding> findings = {finding("same", Severity::error, "a"),
                                   finding("same", Severity::error, "b")};
  findings[1].remedy.command = "apt-get install x";
  EXPECT_EQ(finding_groups(findings).size(), 2U);
}

TEST(FindingGroups, OfNothingAreNone) {
  EXPECT_THAT(finding_groups({}), IsEmpty());
}

TEST(Findings, AreCountedFromASeverityOn) {
  const std::vector<Finding> findings = {finding("a", Severity::info, "x"),
                                         finding("b", Severity::error, "x"),
                                         finding("c", Severity::critical, "x")};
  EXPECT_EQ(count_from(findings, Severity::info), 3U);
  EXPECT_EQ(count_from(findings, Severity::error), 2U);
  EXPECT_EQ(count_from({}, Severity::info), 0U);
}

}  // namespace
}  // namespace topsctl
