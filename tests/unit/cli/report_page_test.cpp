// What a page shows of a report, as text and as HTML.
#include "cli/report_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/report_html.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::Not;

Json failed_install() {
  Execution execution;
  TransactionReport& report = execution.report;
  report.transaction = 12;
  report.outcome = Outcome::rolled_back;
  report.failed = true;
  report.message = "rolled back, the host is as before transaction 12";
  report.packages = {{"tops-eccl", PackageKind::deb, std::nullopt, "2.5.136-1", ""}};
  report.phases = {{"apply", "2026-11-20T10:15:00Z", 2500}};
  report.steps = {{"debs", "run-command", StepStatus::failed, 2500, "dpkg failed\n<b>bold</b>"}};
  report.rollback = RollbackProof{30, {"/etc/a&b"}};
  report.logs = {{"log", "/var/log/topsctl/12.log", 99, "abcd"}};
  execution.exit = ExitCode::rolled_back;
  execution.error = Error(ErrorCode::step_failed, "dpkg failed: exit status 1", "read \"the log\"",
                          {"step 3 of 8: dpkg"});
  execution.warnings = {"a <script>alert('x')</script> warning"};
  return execution_document("install", execution);
}

TEST(ReportPages, ShowAllThatAReportTells) {
  const std::string text = report_text(report_page(failed_install()), Style{});
  for (const char* part :
       {"topsctl install: rolled_back", "the host is as before transaction 12", "tops-eccl  deb",
        "2.5.136-1", "apply  2026-11-20T10:15:00Z  2.5 s", "dpkg failed: exit status 1",
        "step 3 of 8: dpkg", "read \"the log\"", "30 paths compared, 1 differ", "/etc/a&b",
        "/var/log/topsctl/12.log", "abcd", "warning"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ReportPages, HaveNoSectionWithoutContent) {
  const std::string text = report_text(report_page(failed_install()), Style{});
  EXPECT_THAT(text, Not(HasSubstr("checks")));
  EXPECT_THAT(text, Not(HasSubstr("escaped paths")));
}

TEST(ReportPages, AsHtmlShowTheSameWithEveryTextEscaped) {
  const std::string html = report_html(report_page(failed_install()));
  EXPECT_THAT(html, testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(html, HasSubstr("<h1 class=\"failed\">topsctl install: rolled_back</h1>"));
  EXPECT_THAT(html, HasSubstr("a &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; warning"));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;bold&lt;/b&gt;"));
  EXPECT_THAT(html, HasSubstr("read &quot;the log&quot;"));
  EXPECT_THAT(html, HasSubstr("/etc/a&amp;b"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST(ReportPages, NeedNoOtherFile) {
  const std::string html = report_html(report_page(failed_install()));
  for (const char* reference : {"src=", "href=", "http", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(reference)));
  }
}

TEST(ReportPages, BearADocumentThatLacksEverything) {
  EXPECT_THAT(report_text(report_page(Json::object()), Style{}), HasSubstr("topsctl -: -"));
  EXPECT_THAT(report_html(report_page(Json::parse(R"({"steps": [3], "error": {}})"))),
              HasSubstr("</html>"));
}

}  // namespace
}  // namespace topsctl
