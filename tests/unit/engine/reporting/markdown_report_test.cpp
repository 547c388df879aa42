// The Markdown report: its sections, what is escaped, and that it is bounded and repeatable.
#include "topsctl/engine/reporting/markdown_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/reporting/bundle_file_list.hpp"
#include "support/sample_inspection.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

MarkdownFrame sample_frame() {
  return {"TopsRider",
          "2026-11-20T10:15:00Z",
          {{"topsrider-t2x", "2.5.136", {"eccl", "sdk", "torch_gcu"}, {"topsfactor"}, ""}}};
}

std::string sample_report() {
  return markdown_report(sample_inspection(),
                         {sample_finding("small", Severity::info, "x.deb"),
                          sample_finding("big", Severity::critical, "a|b.deb")},
                         sample_frame());
}

// From the heading that begins so to the next one of the same level.
std::string part(const std::string& report, const std::string& title) {
  const auto from = report.find("\n## " + title);
  if (from == std::string::npos) return {};
  return report.substr(from + 1, report.find("\n## ", from + 1) - from - 1);
}

TEST(MarkdownReport, BeginsWithTitleTimeAndDepth) {
  EXPECT_THAT(sample_report(),
              StartsWith(concat("# Bundle TopsRider\n\nMade by topsctl ", topsctl_version(),
                                " at 2026-11-20T10:15:00Z. Read with all data, once.\n")));
}

TEST(MarkdownReport, CountsPackagesFilesAndFindings) {
  EXPECT_EQ(part(sample_report(), "Summary"),
            "## Summary\n\n"
            "| what | count | size |\n"
            "| --- | --- | --- |\n"
            "| packages: deb | 3 | 2.9 KiB |\n"
            "| packages: wheel | 2 | 3.9 KiB |\n"
            "| archives that hold packages | 1 | 19.5 KiB |\n"
            "| other files | 3 | 600 B |\n"
            "| files within packages | 11 | 15.2 KiB |\n"
            "| findings: critical | 1 | - |\n"
            "| findings: error | 0 | - |\n"
            "| findings: warning | 0 | - |\n"
            "| findings: info | 1 | - |\n");
}

TEST(MarkdownReport, ListsTheComponentsOfEachStackAndThoseMissing) {
  const std::string text = part(sample_report(), "Components of stack topsrider-t2x 2.5.136");
  EXPECT_THAT(text, HasSubstr("(incomplete)\n"));
  EXPECT_THAT(text, HasSubstr(concat("| eccl | tops-eccl | 2.5.136-1 | amd64 | 1000 B | ",
                                     sample_digest('a'),
                                     " | TopsRider.run &gt; deb/tops-eccl_2.5.136-1_amd64.deb |")));
  EXPECT_THAT(text, AllOf(HasSubstr("| Python 3.6 |"), HasSubstr("| Python 3.8 |"),
                          HasSubstr("| topsfactor | **missing** |"), Not(HasSubstr("2.4.0"))));
}

TEST(MarkdownReport, ListsVariablesWithTheirValuesAndTimes) {
  EXPECT_EQ(part(sample_report(), "ECCL, ENFLAME"),
            "## ECCL, ENFLAME and TOPS configurations\n\n"
            "| variable | value | times |\n"
            "| --- | --- | --- |\n"
            "| ECCL_MAX_NCHANNELS | 2 | 54 |\n"
            "| ENFLAME_LOG_DEBUG_MOD | ECCL,OPREG | 1 |\n");
}

TEST(MarkdownReport, ListsWhatServesDistributedTraining) {
  const std::string text = part(sample_report(), "Tools and scripts");
  EXPECT_THAT(text, AllOf(HasSubstr("/usr/local/bin/eccl_all_reduce_perf | 500 B |"),
                          HasSubstr("train_launch.sh"), Not(HasSubstr("eccl.h"))));
}

TEST(TrainingFiles, AreProgramsOfEcclAndScriptsThatSaySo) {
  Inspection inspection = sample_inspection();
  inspection.others = {{"a/Train.PY", {}, 1},
                       {"a/train.txt", {}, 1},
                       {"torchrun.sh", {}, 1},
                       {"trainer/other.py", {}, 1},
                       {"run.sh", {}, 1}};
  inspection.inventory.packages[0].files->push_back(
      {"/usr/lib/libeccl_dist.so.1", PayloadEntry::Type::file, 1, 0755});
  inspection.inventory.packages[0].files->push_back(
      {"/usr/local/bin/eccl_tool", PayloadEntry::Type::file, 1, 0755});
  inspection.inventory.packages[1].files->push_back(
      {"/usr/bin/tool", PayloadEntry::Type::file, 1, 0755});
  inspection.inventory.packages[3].files->push_back(
      {"x/deepspeed_run.py", PayloadEntry::Type::file, 7, 0});
  std::vector<std::string> places;
  for (const BundleFile& file : training_files(inspection)) places.push_back(file.place);
  EXPECT_THAT(places,
              testing::ElementsAre(
                  "TopsRider.run > deb/tops-eccl_2.5.136-1_amd64.deb > "
                  "/usr/local/bin/eccl_all_reduce_perf",
                  "TopsRider.run > deb/tops-eccl_2.5.136-1_amd64.deb > /usr/local/bin/eccl_tool",
                  "TopsRider.run > wheels/torch_gcu-1.10.0+2.5.136-py3.6-none-any.whl > "
                  "x/deepspeed_run.py",
                  "a/Train.PY", "torchrun.sh"));
}

TEST(DocumentFiles, AreThoseMadeToBeRead) {
  Inspection inspection = sample_inspection();
  inspection.inventory.packages[3].files->push_back(
      {"torch_gcu-1.dist-info/top_level.txt", PayloadEntry::Type::file, 7, 0});
  inspection.others.push_back({"EULA", {}, 1});
  inspection.others.push_back({"readme", {}, 1});
  inspection.others.push_back({"a.so", {}, 1});
  std::vector<std::string> places;
  for (const BundleFile& file : document_files(inspection)) places.push_back(file.place);
  EXPECT_THAT(places, testing::ElementsAre("EULA", "TopsRider.run > EULA.txt",
                                           "TopsRider.run > deb/tops-sdk_2.5.136-1_amd64.deb > "
                                           "/usr/share/doc/tops-sdk/README.md",
                                           "docs/guide.pdf", "readme"));
}

TEST(BiggestFiles, AreFoundAmongMany) {
  Inspection inspection = sample_inspection();
  inspection.others.clear();
  for (std::uint64_t i = 0; i < 5000; ++i)
    inspection.others.push_back({concat("f", i), {}, (i * 7919) % 5000 + 100'000});
  const std::vector<BundleFile> files = biggest_files(inspection, 20);
  ASSERT_EQ(files.size(), 20U);
  for (std::size_t i = 0; i < files.size(); ++i) EXPECT_EQ(files[i].size, 104'999 - i);
  EXPECT_TRUE(biggest_files({}, 20).empty());
}

TEST(BiggestFiles, AreOfEveryKindButNotOfArchivedPackages) {
  Inspection inspection = sample_inspection();
  inspection.inventory.packages[2].files = {{"/old", PayloadEntry::Type::file, 1'000'000}};
  const std::vector<BundleFile> files = biggest_files(inspection, 3);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[0].place, "TopsRider.run");
  EXPECT_THAT(files[1].place, HasSubstr("libdtu_sdk.so"));
  EXPECT_THAT(files[2].place, HasSubstr("libeccl.so"));
}

TEST(MarkdownReport, ListsWheelsByPythonInTheOrderOfNumbers) {
  Inspection inspection = sample_inspection();
  inspection.inventory.packages[3].python->minor = "3.10";
  const std::string text =
      part(markdown_report(inspection, {}, sample_frame()), "Wheels by Python");
  EXPECT_LT(text.find("| 3.8 |"), text.find("| 3.10 |"));
  EXPECT_NE(text.find("| 3.10 |"), std::string::npos);
}

TEST(MarkdownReport, ListsArchivedAndFurtherPackages) {
  Inspection inspection = sample_inspection();
  inspection.inventory.packages[1].chosen = false;
  inspection.inventory.packages[1].verdict = Verdict::broken;
  inspection.inventory.packages[1].problem = "cut short";
  const std::string text = markdown_report(inspection, {}, sample_frame());
  EXPECT_THAT(part(text, "Archived versions"), HasSubstr("| tops-eccl | 2.4.0-1 |"));
  EXPECT_THAT(part(text, "Further packages"),
              AllOf(HasSubstr("**broken**: cut short"), Not(HasSubstr("2.4.0"))));
}

TEST(MarkdownReport, HasFindingsWorstFirstWithEvidenceAndRemedy) {
  const std::string text = part(sample_report(), "Findings");
  EXPECT_THAT(text, HasSubstr("### critical: title of big (big)\n\n"
                              "- a\\|b.deb\n"
                              "  - evidence: preinst, line 12: curl x \\| sh\n\n"
                              "Cause: a cause\n\n"
                              "Remedy: do something about it\n"));
  EXPECT_LT(text.find("title of big"), text.find("title of small"));
  EXPECT_THAT(markdown_report(sample_inspection(), {}, sample_frame()),
              testing::EndsWith("## Findings\n\nNone.\n"));
}

TEST(MarkdownReport, IsBounded) {
  Inspection inspection = sample_inspection();
  for (int i = 0; i < 1000; ++i)
    inspection.settings[{concat("ECCL_", i), std::string(5000, 'x')}] = 1;
  std::vector<Finding> findings(1000, sample_finding("same", Severity::error, "x"));
  for (Finding& finding : findings) finding.evidence.resize(100);
  const std::string text = markdown_report(inspection, findings, sample_frame());
  EXPECT_THAT(text, AllOf(HasSubstr("and 802 more"), HasSubstr("and 80 more"),
                          HasSubstr("- and 800 more")));
  EXPECT_LT(text.size(), 400'000U);
}

TEST(MarkdownReport, IsTheSameForTheSameValues) {
  EXPECT_EQ(sample_report(), sample_report());
}

TEST(MarkdownReport, OfNothingIsShort) {
  EXPECT_THAT(markdown_report({}, {}, {}),
              AllOf(StartsWith("# Bundle report\n\n"), Not(HasSubstr("## Documents"))));
}

TEST(MarkdownText, IsNoMarkup) {
  EXPECT_EQ(markdown_text("a|b"), "a\\|b");
  EXPECT_EQ(markdown_text("`x` *y* [z](u) ~q~ #h !i $m$"),
            "\\`x\\` \\*y\\* \\[z\\](u) \\~q\\~ \\#h \\!i \\$m\\$");
  EXPECT_EQ(markdown_text("a\\|b"), "a\\\\\\|b");
  EXPECT_EQ(markdown_text("<script>&amp;"), "&lt;script&gt;&amp;amp;");
  EXPECT_EQ(markdown_text("torch_gcu __init__ _x"), "torch_gcu \\_\\_init\\_\\_ \\_x");
  EXPECT_EQ(markdown_text("https://x.org www.x.org Www.y a@b"),
            "https&#58;//x.org www&#46;x.org Www&#46;y a&#64;b");
  EXPECT_EQ(markdown_text("line\nline\033[0m"), "line?line?\\[0m");
}

TEST(MarkdownText, BeginsNoListOrHeading) {
  EXPECT_EQ(markdown_text("- x"), "\\- x");
  EXPECT_EQ(markdown_text("+ x"), "\\+ x");
  EXPECT_EQ(markdown_text("==="), "\\===");
  EXPECT_EQ(markdown_text("1. x"), "1\\. x");
  EXPECT_EQ(markdown_text("12) x"), "12\\) x");
  EXPECT_EQ(markdown_text("2.5.136-1"), "2.5.136-1");
  EXPECT_EQ(markdown_text("    code "), "code");
}

}  // namespace
}  // namespace topsctl
