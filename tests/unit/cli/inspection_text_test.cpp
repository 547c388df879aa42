// The text of an inspection: its parts, what is left out when brief, and the last line.
#include "cli/inspection_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/finding_text.hpp"
#include "support/sample_inspection.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Style plain{false};
const Style colorful{true};

std::string bare(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033')
      i = text.find('m', i);
    else
      out.push_back(text[i]);
  }
  return out;
}

InspectionFrame whole_stack() {
  InspectionFrame frame;
  frame.stacks = {{"topsrider-2.5.136", {"eccl", "sdk", "torch_gcu"}, {}}};
  frame.bundle = "TopsRider.run";
  return frame;
}

std::string last_line(const std::string& text) {
  return last_lines(text, 1);
}

TEST(InspectionText, ShowsPackagesContainersFindingsAndWhatToDoNext) {
  const std::string text =
      render_inspection(sample_inspection(), {sample_finding("odd", Severity::warning, "x.deb")},
                        whole_stack(), plain);
  EXPECT_EQ(text,
            R"(  in TopsRider.run >
     component  package    version         for         size     sha256        file
  *  eccl       tops-eccl  2.5.136-1       amd64       1000 B   aaaaaaaaaaaa  deb/tops-..._2.5.136-1_amd64.deb
  *  sdk        tops-sdk   2.5.136-1       amd64       1000 B   bbbbbbbbbbbb  deb/tops-sdk_2.5.136-1_amd64.deb
  *  torch_gcu  torch_gcu  1.10.0+2.5.136  Python 3.6  2.0 KiB  dddddddddddd  wheels/to...6-py3.6-none-any.whl
  *  torch_gcu  torch_gcu  1.10.0+2.5.136  Python 3.8  2.0 KiB  eeeeeeeeeeee  wheels/to...6-py3.8-none-any.whl
  5 packages, 6.8 KiB; 3 other files; * taken by an install (wheels: the one for the host's Python)
  1 archived package is never chosen; --verbose lists it
  all data read: 6.4 KiB unpacked, 3 files compared with md5sums and RECORD
  kind     compression  size      sha256        checksums  container
  runfile  gzip         19.5 KiB  ffffffffffff  md5 ok     TopsRider.run
  runfile: TopsRider: would run ./install.sh; topsctl only reads it
warning: title of odd: x.deb
  preinst:12: curl x | sh
  hint: do something about it
complete: stack topsrider-2.5.136 (eccl, sdk, torch_gcu)
next: topsctl install TopsRider.run --dry-run
)");
}

TEST(InspectionText, IsTheSameInColours) {
  const std::vector<Finding> findings = {sample_finding("odd", Severity::critical, "x.deb"),
                                         sample_finding("even", Severity::info, "x.deb")};
  const std::string text =
      render_inspection(sample_inspection(), findings, whole_stack(), colorful);
  EXPECT_NE(text, bare(text));
  EXPECT_EQ(bare(text), render_inspection(sample_inspection(), findings, whole_stack(), plain));
}

TEST(InspectionText, FitsTheColumnsWithoutCuttingNamesAndVersions) {
  Inspection inspection = sample_inspection();
  Package& package = inspection.inventory.packages[0];
  package.path = "a/very/deep/folder/" + std::string(200, 'x') + "/tops-eccl.deb";
  package.version = "2.5.136-1+a.rather.long.version";
  std::vector<Finding> findings = {sample_finding("odd", Severity::error, "x.deb")};
  findings[0].remedy.text = joined(std::vector<std::string>(60, "word"), " ");
  findings[0].evidence[0].text = std::string(300, 'y');
  const std::string text = render_inspection(inspection, findings, whole_stack(), plain);
  for (const std::string& line : split(text, '\n')) {
    // The table may be as wide as what must not be cut.
    const bool is_table = line.find("Python 3") != std::string::npos ||
                          line.find("amd64") != std::string::npos ||
                          line.find("sha256 ") != std::string::npos;
    EXPECT_LE(display_width(line), is_table ? 130U : text_columns) << line;
  }
  EXPECT_THAT(text, AllOf(HasSubstr("2.5.136-1+a.rather.long.version"), HasSubstr("tops-eccl.deb"),
                          HasSubstr("...")));
}

TEST(InspectionText, NamesTheFolderThatAllFilesLieInOnce) {
  Inspection inspection;
  const auto in_folders = [&](const std::string& first, const std::string& second) {
    inspection.inventory.packages = {inspected_deb("a", "1", 'a'), inspected_deb("b", "1", 'b')};
    inspection.inventory.packages[0].path = first;
    inspection.inventory.packages[1].path = second;
    return render_inspection(inspection, {}, {}, plain);
  };
  EXPECT_THAT(in_folders("top/sdk/a.deb", "top/sdk/b.deb"),
              AllOf(StartsWith("  in top/sdk/\n"), HasSubstr("  a.deb\n"), HasSubstr("  b.deb\n")));
  EXPECT_THAT(in_folders("top/sdk1/a.deb", "top/sdk2/b.deb"),
              AllOf(StartsWith("  in top/\n"), HasSubstr("  sdk1/a.deb\n")));
  EXPECT_THAT(in_folders("same/x.deb", "samer/x.deb"), Not(HasSubstr("  in ")));
  inspection.inventory.packages.pop_back();
  EXPECT_THAT(render_inspection(inspection, {}, {}, plain),
              AllOf(Not(HasSubstr("  in ")), HasSubstr("  same/x.deb\n")));
}

TEST(InspectionText, CountsArchivedPackagesAndListsThemWhenAsked) {
  InspectionFrame frame = whole_stack();
  const std::string brief = render_inspection(sample_inspection(), {}, frame, plain);
  EXPECT_THAT(brief,
              AllOf(HasSubstr("1 archived package is never chosen"), Not(HasSubstr("2.4.0"))));
  frame.detail = Detail::full;
  const std::string full = render_inspection(sample_inspection(), {}, frame, plain);
  EXPECT_THAT(full, AllOf(HasSubstr("2.4.0-1"), Not(HasSubstr("never chosen"))));
  Inspection inspection = sample_inspection();
  inspection.inventory.packages[1].verdict = Verdict::archived;
  EXPECT_THAT(render_inspection(inspection, {}, whole_stack(), plain),
              HasSubstr("2 archived packages are never chosen"));
}

TEST(InspectionText, SaysThatAFastLookReadNoData) {
  Inspection inspection = sample_inspection();
  inspection.depth = Depth::fast;
  inspection.contents.clear();
  for (Package& package : inspection.inventory.packages) package.sha256.clear();
  const std::string text = render_inspection(inspection, {}, whole_stack(), plain);
  EXPECT_THAT(text, AllOf(HasSubstr("read without the data"),
                          HasSubstr(" B   -       deb/tops-..._2.5.136-1_amd64.deb")));
  EXPECT_THAT(render_inspection(sample_inspection(), {}, whole_stack(), plain),
              AllOf(HasSubstr("all data read: 6.4 KiB unpacked, 3 files compared"),
                    Not(HasSubstr("read without the data"))));
}

TEST(InspectionText, ShowsContainersTheirProblemsAndStartScripts) {
  Inspection inspection = sample_inspection();
  inspection.containers[0].problem = "the archive ends too early";
  EXPECT_THAT(render_inspection(inspection, {}, whole_stack(), plain),
              AllOf(HasSubstr("runfile  gzip         19.5 KiB  ffffffffffff  md5 ok     "
                              "TopsRider.run\n"),
                    HasSubstr("cut off: the archive ends too early (TopsRider.run)"),
                    HasSubstr("TopsRider: would run ./install.sh; topsctl only reads it")));
}

TEST(InspectionText, MakesHostileWordsHarmless) {
  Inspection inspection = sample_inspection();
  inspection.inventory.packages[0].name = "a\033[31m\nb";
  inspection.containers[0].start_script = "x\r\ny";
  Finding finding = sample_finding("odd", Severity::error, "s\033[0m");
  finding.evidence = {{"so\nurce", 1, "te\033xt"}};
  const std::string text = render_inspection(inspection, {finding}, whole_stack(), plain);
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_THAT(text, AllOf(HasSubstr("a?[31m?b"), HasSubstr("so?urce:1: te?xt")));
}

TEST(InspectionText, ShowsSectionsWithTheirTitles) {
  InspectionFrame frame = whole_stack();
  frame.sections = {{"on this machine", {{"package", "there"}, {"tops-eccl", "new"}}}};
  EXPECT_THAT(render_inspection(sample_inspection(), {}, frame, plain),
              HasSubstr("on this machine\n  package    there\n  tops-eccl  new\nnext:"));
}

TEST(InspectionText, OfAnEmptyBundleHasNoTable) {
  EXPECT_EQ(render_inspection({}, {}, {}, plain),
            "  0 packages, 0 B; 0 other files\n"
            "no known stack is in it\n"
            "next: describe your own stack in a file and give it with --stack FILE\n");
}

TEST(NextStep, IsToMendErrorsFirst) {
  const std::vector<Finding> findings = {sample_finding("b", Severity::warning, "w"),
                                         sample_finding("e", Severity::error, "x.deb"),
                                         sample_finding("c", Severity::critical, "y.deb")};
  EXPECT_EQ(last_line(render_inspection(sample_inspection(), findings, whole_stack(), plain)),
            "next: mend 2 errors above, first: title of c: y.deb");
  EXPECT_EQ(last_line(render_inspection(sample_inspection(), {findings[1]}, whole_stack(), plain)),
            "next: mend 1 error above: title of e: x.deb");
  const Finding deep = sample_finding("e", Severity::error, std::string(300, 'x') + "/end.deb");
  const std::string line =
      last_line(render_inspection(sample_inspection(), {deep}, whole_stack(), plain));
  EXPECT_EQ(display_width(line), text_columns);
  EXPECT_THAT(line, EndsWith("/end.deb"));
}

TEST(NextStep, IsADryRunOfTheInstallWhenAStackIsComplete) {
  InspectionFrame frame = whole_stack();
  const std::vector<Finding> findings = {sample_finding("b", Severity::warning, "w")};
  EXPECT_EQ(last_line(render_inspection(sample_inspection(), findings, frame, plain)),
            "next: topsctl install TopsRider.run --dry-run");
  frame.bundle = "my bundle";
  EXPECT_EQ(last_line(render_inspection(sample_inspection(), {}, frame, plain)),
            "next: topsctl install 'my bundle' --dry-run");
}

TEST(NextStep, NamesTheComponentsOfAnIncompleteStack) {
  InspectionFrame frame = whole_stack();
  frame.stacks = {{"other", {}, {"a"}}, {"topsrider-2.5.136", {"eccl", "sdk"}, {"torch_gcu"}}};
  const std::string text = render_inspection(sample_inspection(), {}, frame, plain);
  EXPECT_THAT(text, HasSubstr("incomplete: stack topsrider-2.5.136 lacks torch_gcu\n"));
  EXPECT_THAT(text, Not(HasSubstr("other lacks")));
  EXPECT_EQ(last_line(text),
            "next: add what is missing, or topsctl install TopsRider.run --components eccl,sdk "
            "--dry-run");
}

}  // namespace
}  // namespace topsctl
