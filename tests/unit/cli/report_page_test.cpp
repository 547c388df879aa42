// What a page shows of a report, as text and as HTML.
#include "cli/report_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/report_html.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::Not;

Json failed_install() {
  Execution execution;
  TransactionReport& report = execution.report;
  report.origin = {"node1", "alice", "2026-11-20T10:14:00Z"};
  report.bundle = GivenBundle{{"/srv/TopsRider"}, std::string(64, 'a')};
  report.transaction = 12;
  report.outcome = Outcome::rolled_back;
  report.failed = true;
  report.message = "rolled back, the host is as it was before transaction 12";
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
       {"topsctl install: rolled_back", "the host is as it was before transaction 12",
        "tops-eccl  deb", "2.5.136-1", "apply  2026-11-20T10:15:00Z  2.5 s",
        "dpkg failed: exit status 1", "node1", "alice", "2026-11-20T10:14:00Z", "/srv/TopsRider",
        "aaaaaaaaaaaaaaaa", "step 3 of 8: dpkg", "read \"the log\"", "30 paths, 1 differences",
        "/etc/a&b", "/var/log/topsctl/12.log", "abcd", "warning"}) {
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
  EXPECT_THAT(html,
              HasSubstr("<h1><span class=\"bad\">\u2717 topsctl install: rolled_back</span></h1>"));
  EXPECT_THAT(html, HasSubstr("a &lt;script&gt;alert(&#39;x&#39;)&lt;/<wbr>script&gt; warning"));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;bold&lt;/b&gt;"));
  EXPECT_THAT(html, HasSubstr("read &quot;the log&quot;"));
  EXPECT_THAT(html, HasSubstr("/etc/a&amp;b"));
  EXPECT_THAT(html, Not(HasSubstr("<script")));
}

TEST(ReportPages, HaveASignBesideTheColourOfAResult) {
  Json document = failed_install();
  document["checks"] = Json::parse(R"([{"id": "a", "status": "pass"}, {"id": "b", "status": "warn"},
                                       {"id": "c", "status": "skipped"}, {"id": "d", "status": "fail"}])");
  const std::string html = report_html(report_page(document));
  for (const char* result :
       {"<span class=\"bad\">\u2717 failed</span>", "<span class=\"good\">\u2713 pass</span>",
        "<span class=\"attention\">! warn</span>", "<span class=\"open\">\u2013 skipped</span>",
        "<span class=\"bad\">\u2717 fail</span>"}) {
    EXPECT_THAT(html, HasSubstr(result));
  }
}

TEST(ReportPages, LetLongWordsBreakBehindSeparatorsOnly) {
  Json document = failed_install();
  document["warnings"] = {"short-one/stays 0123456789abcdef0123456789abcdef",
                          "/usr/lib/x86_64-linux-gnu/libeccl.so.2", std::string(50, 'x')};
  const std::string html = report_html(report_page(document));
  EXPECT_THAT(html, HasSubstr("short-one/stays 01234567<wbr>89abcdef<wbr>01234567<wbr>89abcdef<"));
  EXPECT_THAT(html, HasSubstr("/<wbr>usr/<wbr>lib/<wbr>x86_<wbr>64-<wbr>linux-<wbr>gnu/<wbr>"
                              "libeccl.<wbr>so.<wbr>2<"));
  EXPECT_THAT(html, HasSubstr(concat("<span class=\"long\">", std::string(50, 'x'), "</span>")));
}

Json failed_deployment() {
  Json document =
      Json::parse(R"({"command": "deploy", "failed": true, "msg": "1 of 2 targets failed",
      "host": "desk", "user": "bob", "started_at": "2026-11-20T10:00:00Z", "warnings": ["h1: <old>"],
      "bundle": {"paths": ["./TopsRider"], "sha256": null},
      "targets": [{"target": "root@h1", "status": "failed", "duration_ms": 2500, "report": null,
                   "error": {"code": "unreachable", "message": "no answer\nat all", "context": [],
                             "hint": "look there"}},
                  {"target": "root@h2", "status": "done", "duration_ms": 61000, "error": null}]})");
  document["targets"][1]["report"] = failed_install();
  return document;
}

TEST(ReportPages, OfADeploymentHaveARowForEachTargetThatLeadsToItsReport) {
  const std::string html = report_html(deployment_page(failed_deployment()));
  EXPECT_THAT(html, HasSubstr("<a href=\"#target-1\">root@h1</a>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#target-2\">root@h2</a>"));
  EXPECT_THAT(html, HasSubstr("<section id=\"target-1\">\n<h2>root@h1: failed</h2>"));
  EXPECT_THAT(html, HasSubstr("<section id=\"target-2\">\n<h2>root@h2: done</h2>"));
  EXPECT_THAT(html, HasSubstr(" data-label=\"error\">no answer</td>"));
  EXPECT_THAT(html, HasSubstr("h1: &lt;old&gt;"));
  const std::string text = report_text(deployment_page(failed_deployment()), Style{});
  for (const char* part : {"topsctl deploy: 1 of 2 targets failed", "desk", "bob", "./TopsRider",
                           "root@h1  failed", "2.5 s", "look there", "/var/log/topsctl/12.log"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

TEST(ReportPages, OfADeploymentSayAThingOnceAndTheVersionThatWasTried) {
  Json document = failed_deployment();
  document["targets"].erase(0);
  Json& target = document["targets"][0];
  target["status"] = "failed";
  target["error"] = target["report"]["error"];
  document["error"] = target["error"];
  document["msg"] = target["error"]["message"];
  document["warnings"] = {"root@h2: a <script>alert('x')</script> warning"};
  Json& package = target["report"]["packages"][0];
  package["before"] = "2.4";
  package["after"] = "2.4";
  package["purl"] = "pkg:deb/tops-eccl@2.5.136%2B1?arch=amd64";
  const std::string text = report_text(deployment_page(document), Style{});
  for (const char* part : {"dpkg failed: exit status 1", "read \"the log\"", "> warning"})
    EXPECT_EQ(count_of(part, text), 1U) << part << "\n" << text;
  EXPECT_THAT(text, HasSubstr("before  tried      after"));
  EXPECT_THAT(text, HasSubstr("2.4     2.5.136+1  2.4"));
}

TEST(ReportPages, NeedNoOtherFile) {
  const std::string html = concat(report_html(report_page(failed_install())),
                                  report_html(deployment_page(failed_deployment())));
  for (const char* reference :
       {"src=", "href=\"h", "href=\"/", "http:", "https:", "@import", "url("}) {
    EXPECT_THAT(html, Not(HasSubstr(reference)));
  }
}

TEST(ReportPages, BearADocumentThatLacksEverything) {
  EXPECT_THAT(report_text(report_page(Json::object()), Style{}), HasSubstr("topsctl -: -"));
  EXPECT_THAT(report_html(report_page(Json::parse(R"({"steps": [3], "error": {}})"))),
              HasSubstr("</html>"));
  EXPECT_THAT(report_html(deployment_page(Json::parse(R"({"targets": [3, {"report": 4}]})"))),
              HasSubstr("</html>"));
}

}  // namespace
}  // namespace topsctl
