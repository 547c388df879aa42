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

const Style plain_look{false};
const Style colorful_look{true};

std::string bare_look(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033')
      i = text.find('m', i);
    else
      out.push_back(text[i]);
  }
  return out;
}

StackMatch match(const std::string& name, std::vector<std::string> found,
                 std::vector<std::string> missing, const std::string& problem = "") {
  return {name, "2.5.136", std::move(found), std::move(missing), problem};
}

const StackMatch whole = match("topsrider-t2x", {"eccl", "sdk", "torch_gcu"}, {});

struct Shown {
  Detail detail = Detail::brief;
  std::string bundle = "TopsRider.run";
  std::string options = {};
  std::vector<StackMatch> stacks = {whole};
  std::vector<TextSection> sections = {};
  Style style = plain_look;
};

std::string shown(const Inspection& inspection, const std::vector<Finding>& findings,
                  const Shown& how = {}) {
  const InspectionFrame frame{bundle_verdict(inspection, how.stacks, findings), how.sections,
                              how.bundle, how.options, how.detail};
  return render_inspection(inspection, findings, frame, how.style);
}

std::string last_line(const std::string& text) {
  return last_lines(text, 1);
}

TEST(InspectionText, LeadsWithTheVerdict) {
  EXPECT_EQ(
      shown(sample_inspection(), {sample_finding("odd", Severity::warning, "x.deb"),
                                  sample_finding("even", Severity::info, "x.deb")}),
      R"(installable: topsrider-t2x 2.5.136, 3 of 5 packages; 1 archived; 1 warning; payload checked: 6.4 KiB
             unpacked, 3 files compared with md5sums and RECORD
  in TopsRider.run >
     component  package    version         for         size     file
  *  eccl       tops-eccl  2.5.136-1       amd64       1000 B   deb/tops-eccl_2.5.136-1_amd64.deb
  *  sdk        tops-sdk   2.5.136-1       amd64       1000 B   deb/tops-sdk_2.5.136-1_amd64.deb
  *  torch_gcu  torch_gcu  1.10.0+2.5.136  Python 3.6  2.0 KiB  wheels/torch_gcu-1.10.0+2.5.136-py3.6-none-any.whl
  *  torch_gcu  torch_gcu  1.10.0+2.5.136  Python 3.8  2.0 KiB  wheels/torch_gcu-1.10.0+2.5.136-py3.8-none-any.whl
  kind     compression  size      sha256                                                            checksums  container
  runfile  gzip         19.5 KiB  ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff  md5 ok     TopsRider.run
  runfile: TopsRider: would run ./install.sh; topsctl only reads it
variables set by files beside the packages
  variable            times  value
  ECCL_MAX_NCHANNELS  50     2
warning[odd]: title of odd: x.deb
  preinst:12: curl x | sh
  hint: do something about it
use --verbose to show 1 note
next: unpack it: sh TopsRider.run --noexec --target DIR; then topsctl install DIR --dry-run
)");
}

TEST(InspectionText, ListsOtherFilesAndAllVariablesWhenAsked) {
  Inspection inspection = sample_inspection();
  for (char letter = 'A'; letter < 'Z'; ++letter)
    inspection.settings[{concat("ECCL_", letter), std::string(100, 'v')}] = 1;
  EXPECT_THAT(shown(inspection, {}),
              AllOf(HasSubstr("  ECCL_H "), Not(HasSubstr("  ECCL_I ")),
                    HasSubstr("  18 more (--verbose)\n"), Not(HasSubstr("EULA.txt"))));
  Shown how;
  how.detail = Detail::full;
  EXPECT_THAT(shown(inspection, {}, how),
              AllOf(HasSubstr("  ECCL_Y "), HasSubstr(std::string(100, 'v')),
                    Not(HasSubstr("more (--verbose)")), HasSubstr("3 other files\n"),
                    HasSubstr("  300 B  TopsRider.run > EULA.txt\n"),
                    HasSubstr("  100 B  docs/guide.pdf\n")));
}

TEST(InspectionText, FitsEveryTerminal) {
  std::vector<Finding> findings = {
      sample_finding("odd", Severity::error, "x.deb"),
      sample_finding("long", Severity::error, std::string(100, 's') + "/end.deb")};
  findings[0].remedy.text = joined(std::vector<std::string>(60, "word"), " ");
  findings[0].title = joined(std::vector<std::string>(30, "title"), " ");
  findings[0].evidence[0].text = std::string(300, 'y');
  Inspection inspection = sample_inspection();
  inspection.inventory.packages[0].path = std::string(200, 'x') + "/tops-eccl.deb";
  for (const std::size_t columns : {80U, 100U, 200U}) {
    for (const Detail detail : {Detail::brief, Detail::full}) {
      if (detail == Detail::full && columns < 200) continue;  // it shows all of each
      Shown how;
      how.style.columns = columns;
      for (const std::string& line : split(shown(inspection, findings, how), '\n')) {
        // Paths and words of evidence stay whole.
        const bool is_path = line.ends_with("x/tops-eccl.deb") || line.ends_with("/end.deb") ||
                             line.ends_with("yyy");
        EXPECT_LE(display_width(line), is_path ? 300 : columns) << line;
      }
    }
    Shown how;
    how.style.columns = columns;
    EXPECT_THAT(shown(inspection, {}, how), HasSubstr("1.10.0+2.5.136")) << "versions stay whole";
    EXPECT_THAT(shown(inspection, findings, how), HasSubstr(findings[1].subject + "\n"));
  }
}

TEST(InspectionText, BreaksTheNextStepBetweenItsCommands) {
  Shown how;
  how.style.columns = 80;
  EXPECT_THAT(shown(sample_inspection(), {}, how),
              EndsWith("next: unpack it: sh TopsRider.run --noexec --target DIR;\n"
                       "  then topsctl install DIR --dry-run\n"));
}

TEST(InspectionText, IsTheSameInColours) {
  const std::vector<Finding> findings = {sample_finding("odd", Severity::critical, "x.deb"),
                                         sample_finding("even", Severity::warning, "x.deb")};
  Shown how;
  how.style = colorful_look;
  const std::string text = shown(sample_inspection(), findings, how);
  EXPECT_NE(text, bare_look(text));
  EXPECT_EQ(bare_look(text), shown(sample_inspection(), findings));
}

TEST(InspectionText, NamesTheFolderThatAllFilesLieInOnce) {
  Inspection inspection;
  const auto in_folders = [&](const std::string& first, const std::string& second) {
    inspection.inventory.packages = {inspected_deb("a", "1", 'a'), inspected_deb("b", "1", 'b')};
    inspection.inventory.packages[0].path = first;
    inspection.inventory.packages[1].path = second;
    return shown(inspection, {});
  };
  EXPECT_THAT(in_folders("top/sdk/a.deb", "top/sdk/b.deb"),
              AllOf(HasSubstr("  in top/sdk/\n"), HasSubstr("  a.deb\n"), HasSubstr("  b.deb\n")));
  EXPECT_THAT(in_folders("top/sdk1/a.deb", "top/sdk2/b.deb"),
              AllOf(HasSubstr("  in top/\n"), HasSubstr("  sdk1/a.deb\n")));
  EXPECT_THAT(in_folders("same/x.deb", "samer/x.deb"), Not(HasSubstr("  in ")));
  inspection.inventory.packages.pop_back();
  EXPECT_THAT(shown(inspection, {}), AllOf(Not(HasSubstr("  in ")), HasSubstr("  same/x.deb\n")));
}

TEST(InspectionText, ListsWhatAnInstallLeavesAloneWhenAsked) {
  Inspection inspection = sample_inspection();
  inspection.inventory.packages.push_back(inspected_deb("other", "9.9-1", 'f'));
  Package& other = inspection.inventory.packages.back();
  other.chosen = false;
  other.component.clear();
  other.verdict = Verdict::unknown;
  const std::vector<Finding> findings = {sample_finding("odd", Severity::error, other.path)};
  const std::string brief = shown(inspection, findings);
  EXPECT_THAT(
      brief,
      AllOf(StartsWith("installable: "), HasSubstr("1 other not needed"), HasSubstr("1 archived"),
            Not(HasSubstr("9.9-1")), Not(HasSubstr("2.4.0")), Not(HasSubstr("title of odd")),
            HasSubstr(
                "use --verbose to show 0 notes, and 1 finding on packages that are not needed\n"),
            HasSubstr("next: unpack it: sh")));
  Shown all;
  all.detail = Detail::full;
  EXPECT_THAT(shown(inspection, findings, all),
              AllOf(HasSubstr("9.9-1"), HasSubstr("2.4.0-1"), HasSubstr("sha256"),
                    HasSubstr("aaaaaaaaaaaa"), HasSubstr("error[odd]: title of odd")));
}

TEST(InspectionText, SaysWhatWasRead) {
  Inspection inspection = sample_inspection();
  inspection.depth = Depth::digest;
  EXPECT_THAT(shown(inspection, {}), HasSubstr("payload not checked (see --deep)\n"));
  inspection.depth = Depth::fast;
  inspection.contents.clear();
  for (Package& package : inspection.inventory.packages) package.sha256.clear();
  EXPECT_THAT(shown(inspection, {}), HasSubstr("data not read (no digests;"));
}

TEST(InspectionText, ShowsContainersTheirProblemsAndStartScripts) {
  Inspection inspection = sample_inspection();
  inspection.containers[0].problem = "the archive ends too early";
  EXPECT_THAT(shown(inspection, {}),
              AllOf(HasSubstr("runfile  gzip         19.5 KiB  " + std::string(64, 'f') +
                              "  md5 ok     "
                              "TopsRider.run\n"),
                    HasSubstr("incomplete: the archive ends too early (TopsRider.run)"),
                    HasSubstr("TopsRider: would run ./install.sh; topsctl only reads it")));
  for (Package& package : inspection.inventory.packages) package.container.clear();
  EXPECT_THAT(shown(inspection, {}), Not(HasSubstr("runfile  gzip"))) << "nothing is taken from it";
}

TEST(InspectionText, MakesHostileWordsHarmless) {
  Inspection inspection = sample_inspection();
  inspection.inventory.packages[0].name = "a\033[31m\nb";
  inspection.containers[0].start_script = "x\r\ny";
  Finding finding = sample_finding("odd", Severity::error, "s\033[0m");
  finding.evidence = {{"so\nurce", 1, "te\033xt"}};
  const std::string text = shown(inspection, {finding});
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_THAT(text, AllOf(HasSubstr("a?[31m?b"), HasSubstr("so?urce:1: te?xt")));
}

TEST(InspectionText, ShowsSectionsWithTheirTitles) {
  Shown how;
  how.sections = {{"on this machine", {{"package", "there"}, {"tops-eccl", "new"}}}};
  EXPECT_THAT(shown(sample_inspection(), {}, how),
              HasSubstr("on this machine\n  package    there\n  tops-eccl  new\nnext:"));
}

TEST(InspectionText, OfAnEmptyBundleHasNoTable) {
  Shown how;
  how.stacks = {};
  EXPECT_EQ(shown({}, {}, how),
            "not installable: no packages of a known stack; 0 packages; payload not checked (see "
            "--deep)\n"
            "next: give a directory, an archive or a .run file that has debs and wheels\n");
}

TEST(NextStep, IsToFixErrorsFirst) {
  const std::vector<Finding> findings = {sample_finding("b", Severity::warning, "w"),
                                         sample_finding("e", Severity::error, "x.deb"),
                                         sample_finding("c", Severity::critical, "y.deb")};
  const std::string text = shown(sample_inspection(), findings);
  EXPECT_THAT(text,
              StartsWith("not installable: topsrider-t2x 2.5.136, 3 of 5 packages; 1 archived; "
                         "2 errors; 1 warning;"));
  EXPECT_EQ(last_line(text), "next: fix the 2 errors above, first: title of c: y.deb");
  EXPECT_EQ(last_line(shown(sample_inspection(), {findings[1]})),
            "next: fix the error above: title of e: x.deb");
  const Finding deep = sample_finding("e", Severity::error, std::string(300, 'x') + "/end.deb");
  EXPECT_THAT(last_line(shown(sample_inspection(), {deep})), EndsWith(": " + deep.subject));
}

TEST(NextStep, IsADryRunOfTheInstallWhenAStackIsComplete) {
  Inspection inspection = sample_inspection();
  for (Package& package : inspection.inventory.packages) package.container.clear();
  EXPECT_EQ(last_line(shown(inspection, {})), "next: topsctl install TopsRider.run --dry-run");
  Shown how;
  how.bundle = "my bundle";
  how.options = " --stack s --root /srv/r";
  EXPECT_EQ(last_line(shown(inspection, {}, how)),
            "next: topsctl install 'my bundle' --stack s --root /srv/r --dry-run");
}

TEST(NextStep, IsToUnpackAnArchiveThatAnInstallDoesNotOpen) {
  Inspection inspection = sample_inspection();
  Shown how;
  how.bundle = "my bundle";
  how.options = " --stack s";
  EXPECT_EQ(last_line(shown(inspection, {}, how)),
            "next: unpack it: sh 'my bundle/TopsRider.run' --noexec --target DIR; then topsctl "
            "install DIR --stack s --dry-run");
  for (Package& package : inspection.inventory.packages) package.container = {"tops.tar.gz"};
  EXPECT_EQ(last_line(shown(inspection, {}, how)),
            "next: unpack it: mkdir DIR && tar -xf 'my bundle/tops.tar.gz' -C DIR; then topsctl "
            "install DIR --stack s --dry-run");
}

TEST(NextStep, NamesTheComponentsOfAnIncompleteStack) {
  Shown how;
  how.stacks = {match("other", {}, {"a"}), match("topsrider-t2x", {"eccl", "sdk"}, {"torch_gcu"})};
  const std::string text = shown(sample_inspection(), {}, how);
  EXPECT_THAT(text, StartsWith("not installable: topsrider-t2x 2.5.136 lacks torch_gcu; "));
  EXPECT_THAT(text, Not(HasSubstr("other lacks")));
  EXPECT_EQ(last_line(text),
            "next: add the missing components, or choose those to install with --stack "
            "topsrider-t2x --components eccl,sdk");
}

TEST(NextStep, IsToChooseAmongMixedReleases) {
  Shown how;
  how.stacks = {match("topsrider-t2x", {"eccl"}, {}, "the bundle mixes releases")};
  const std::string text = shown(sample_inspection(), {}, how);
  EXPECT_THAT(text, StartsWith("not installable: the bundle mixes releases; "));
  EXPECT_EQ(
      last_line(text),
      "next: use packages of one release only, or choose a release with --stack NAME@RELEASE");
}

TEST(Verdicts, TakeTheLaterOfEqualStacks) {
  const Inspection inspection = sample_inspection();
  const StackMatch own = match("own", {"eccl", "sdk", "torch_gcu"}, {});
  EXPECT_EQ(bundle_verdict(inspection, {whole, own}, {}).stack.name, "own");
  EXPECT_EQ(bundle_verdict(inspection, {own, whole}, {}).stack.name, "topsrider-t2x");
  const StackMatch partial = match("large", {"a", "b", "c", "d"}, {"e"});
  EXPECT_EQ(bundle_verdict(inspection, {whole, partial}, {}).stack.name, "topsrider-t2x");
  EXPECT_FALSE(bundle_verdict(inspection, {partial}, {}).is_installable);
}

}  // namespace
}  // namespace topsctl
