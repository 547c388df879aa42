// Findings as text: order, blocks, what is left out; and the fitting of text into columns.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/finding_text.hpp"
#include "support/sample_inspection.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const Style plain_text{false};

TEST(FindingText, IsTitleSubjectEvidenceAndHint) {
  Finding finding = sample_finding("odd", Severity::error, "x.deb");
  finding.remedy.command = "apt-get install y";
  EXPECT_EQ(render_findings({finding}, Detail::brief, plain_text),
            "error[odd]: title of odd: x.deb\n"
            "  preinst:12: curl x | sh\n"
            "  hint: do something about it\n"
            "  run:  apt-get install y\n");
}

TEST(FindingText, NamesNoSourceThatIsTheSubjectAndNoLineThatIsNone) {
  Finding finding = sample_finding("odd", Severity::error, "x.deb");
  finding.remedy = {};
  finding.evidence = {{"x.deb", 0, "cut short"}, {"x.deb", 3, "odd"}, {"RECORD", 0, ""}};
  EXPECT_EQ(render_findings({finding}, Detail::brief, plain_text),
            "error[odd]: title of odd: x.deb\n"
            "  cut short\n"
            "  line 3: odd\n"
            "  RECORD\n");
}

TEST(FindingText, ShowsThreePiecesOfEvidenceUnlessAllAreAskedFor) {
  Finding finding = sample_finding("odd", Severity::warning, "x.deb");
  finding.evidence.clear();
  for (int line = 1; line <= 7; ++line) finding.evidence.push_back({"postinst", line, "rm"});
  const std::string brief = render_findings({finding}, Detail::brief, plain_text);
  EXPECT_THAT(brief, AllOf(HasSubstr("postinst:3: rm\n  and 4 more\n"), Not(HasSubstr(":4: rm"))));
  const std::string full = render_findings({finding}, Detail::full, plain_text);
  EXPECT_THAT(full, AllOf(HasSubstr("postinst:7: rm\n"), Not(HasSubstr("more"))));
}

TEST(FindingText, KeepsSubjectsWhole) {
  const std::string path = "top/" + std::string(200, 'x') + "/end.deb";
  const std::vector<Finding> one = {sample_finding("odd", Severity::error, path)};
  const std::vector<Finding> two = {one[0], one[0]};
  for (const std::vector<Finding>& findings : {one, two}) {
    EXPECT_THAT(render_findings(findings, Detail::brief, Style{true, 80}), HasSubstr(path + "\n"));
    EXPECT_THAT(render_findings(findings, Detail::full, plain_text), HasSubstr(path));
  }
}

TEST(FindingText, WrapsLongEvidenceAndCutsWhatIsEndless) {
  Finding finding = sample_finding("odd", Severity::warning, "x.deb");
  finding.remedy = {};
  finding.evidence = {{"", 0, "cannot read it: " + std::string(70, 'x') + " is cut short"}};
  EXPECT_EQ(render_findings({finding}, Detail::brief, plain_text),
            "warning[odd]: title of odd: x.deb\n  cannot read it: " + std::string(70, 'x') +
                " is cut\n  short\n");
  for (const std::string& endless :
       {std::string(5000, 'x'), joined(std::vector<std::string>(2000, "word"), " ")}) {
    finding.evidence = {{"preinst", 3, endless}};
    const std::string brief = render_findings({finding}, Detail::brief, plain_text);
    EXPECT_LE(split(brief, '\n').size(), 6U);
    EXPECT_LE(brief.size(), 300U);
    EXPECT_THAT(render_findings({finding}, Detail::full, plain_text), HasSubstr(endless));
  }
}

TEST(FindingText, PutsOneIdOnSeveralPackagesIntoOneBlock) {
  std::vector<Finding> findings;
  for (int i = 0; i < 7; ++i)
    findings.push_back(sample_finding("odd", Severity::warning, concat("p", i, ".deb")));
  const std::string brief = render_findings(findings, Detail::brief, plain_text);
  EXPECT_THAT(brief, testing::StartsWith("warning[odd]: title of odd (7 times)\n"
                                         "  p0.deb\n"
                                         "    preinst:12: curl x | sh\n"
                                         "  p1.deb\n"));
  EXPECT_THAT(brief, AllOf(HasSubstr("  and 2 more\n  hint: do something about it\n"),
                           Not(HasSubstr("p5.deb"))));
  EXPECT_THAT(render_findings(findings, Detail::full, plain_text), HasSubstr("p6.deb"));
}

TEST(FindingText, IsWorstFirst) {
  const std::string text = render_findings(
      {sample_finding("a", Severity::info, "x"), sample_finding("b", Severity::critical, "x")},
      Detail::brief, plain_text);
  EXPECT_LT(text.find("critical[b]: title of b"), text.find("info[a]: title of a"));
}

TEST(FindingText, ColoursBySeverity) {
  const Style colorful{true};
  const auto first = [&](Severity severity) {
    const std::string text =
        render_findings({sample_finding("a", severity, "x")}, Detail::brief, colorful);
    return text.substr(0, text.find("\033[2m["));
  };
  EXPECT_EQ(first(Severity::critical), "\033[1m\033[31mcritical\033[0m\033[0m");
  EXPECT_EQ(first(Severity::error), "\033[31merror\033[0m");
  EXPECT_EQ(first(Severity::warning), "\033[33mwarning\033[0m");
  EXPECT_EQ(first(Severity::info), "\033[2minfo\033[0m");
}

TEST(Shortening, KeepsBothEndsAndMoreOfTheLast) {
  EXPECT_EQ(shortened_in_the_middle("abc", 3), "abc");
  EXPECT_EQ(shortened_in_the_middle("abcdefghijkl", 9), "ab...ijkl");
  EXPECT_EQ(shortened_in_the_middle("abcdef", 3), "abcdef");
  EXPECT_EQ(shortened_in_the_middle("", 10), "");
}

TEST(Shortening, CutsNoCharacterAndCountsWideOnesTwice) {
  const std::string text = "目录目录目录目录目录/安装包.deb";
  for (std::size_t columns = 4; columns < 40; ++columns) {
    const std::string cut = shortened_in_the_middle(text, columns);
    EXPECT_LE(display_width(cut), std::max<std::size_t>(columns, 4)) << cut;
    EXPECT_EQ(printable(cut), cut);
  }
  EXPECT_EQ(shortened_in_the_middle(text, 20), "目录...录/安装包.deb");
}

TEST(Wrapping, BreaksBetweenWordsAndIndents) {
  EXPECT_EQ(wrapped("one two three four", "  hint: ", 18), "  hint: one two\n        three four\n");
  EXPECT_EQ(wrapped("a " + std::string(30, 'x') + " b", "- ", 10),
            "- a\n  " + std::string(30, 'x') + "\n  b\n");
  EXPECT_EQ(wrapped("x", "\033[1mhint:\033[0m ", 10), "\033[1mhint:\033[0m x\n");
  EXPECT_EQ(wrapped("", "- ", 10), "- \n");
}

TEST(FindingText, BreaksChineseBetweenCharactersAndNotBeforePunctuation) {
  EXPECT_EQ(wrapped("重新安装，然后再试", "- ", 12), "- 重新安装，\n  然后再试\n");
  EXPECT_EQ(wrapped("重新安装它，然后", "- ", 12), "- 重新安装\n  它，然后\n");
  EXPECT_EQ(wrapped("运行 `topsctl verify` 检查", "", 14), "运行 `topsctl\nverify` 检查\n");
  EXPECT_EQ(wrapped("路径（绝对）", "", 6), "路径\n（绝\n对）\n");
}

}  // namespace
}  // namespace topsctl
