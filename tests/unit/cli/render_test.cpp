// Reports as text: alignment, the error block, small goldens.
#include "cli/render.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const Style plain{false};
const Style colorful{true};

// Without colours.
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

TEST(Styles, ColourOnlyWhenAsked) {
  EXPECT_EQ(plain.red("x"), "x");
  EXPECT_EQ(colorful.red("x"), "\033[31mx\033[0m");
  EXPECT_EQ(colorful.green("x"), "\033[32mx\033[0m");
  EXPECT_EQ(colorful.yellow("x"), "\033[33mx\033[0m");
  EXPECT_EQ(colorful.bold("x"), "\033[1mx\033[0m");
  EXPECT_EQ(colorful.dim("x"), "\033[2mx\033[0m");
}

TEST(Tables, AlignTheirColumns) {
  EXPECT_EQ(table({{"id", "name"}, {"1", "a"}, {"22222", "b"}}, plain),
            "  id     name\n"
            "  1      a\n"
            "  22222  b\n");
}

TEST(Tables, AlignWideCharacters) {
  const std::string text = table({{"名称", "x"}, {"abcdef", "y"}, {"安装包", "z"}}, plain);
  EXPECT_EQ(text,
            "  名称    x\n"
            "  abcdef  y\n"
            "  安装包  z\n");
  for (const std::string& line : split(trimmed(text), '\n')) {
    EXPECT_EQ(display_width(trimmed(line)), 9U) << line;
  }
}

TEST(Tables, AlignColouredCellsAsIfTheyWerePlain) {
  const auto rows = [](const Style& style) {
    return std::vector<std::vector<std::string>>{
        {"check", "result", "seen"}, {"a", style.green("pass"), "x"}, {"b", style.red("f"), "y"}};
  };
  EXPECT_EQ(bare(table(rows(colorful), colorful)), table(rows(plain), plain));
}

TEST(Tables, MayHaveShortRowsAndNone) {
  EXPECT_EQ(table({}, plain), "");
  EXPECT_EQ(table({{"a", "b"}, {"1"}}, plain), "  a  b\n  1\n");
}

TEST(RenderError, SaysTheMessageAndTheHint) {
  EXPECT_EQ(
      render_error(Error(ErrorCode::usage, "unknown command 'instal'", "see `topsctl -h`"), plain),
      "error: unknown command 'instal'\n"
      "hint:  see `topsctl -h`\n");
  EXPECT_EQ(render_error(Error(ErrorCode::usage, "m"), plain), "error: m\n");
}

TEST(RenderError, GoesFromTheOutermostCircumstanceToTheReason) {
  const Error error(ErrorCode::step_failed, "dpkg failed: exit status 1\nfirst line\nsecond line",
                    "read the log", {"cannot install 'tops-eccl'", "step 3 of 9: dpkg --install"});
  EXPECT_EQ(render_error(error, plain),
            "error: cannot install 'tops-eccl'\n"
            "  step 3 of 9: dpkg --install\n"
            "  dpkg failed: exit status 1\n"
            "  | first line\n"
            "  | second line\n"
            "hint:  read the log\n");
  EXPECT_EQ(bare(render_error(error, colorful)), render_error(error, plain));
}

Plan sample_plan() {
  Plan plan;
  plan.command = "install";
  plan.stack = "topsrider-t2x";
  plan.release = "2.5.136";
  plan.python = "/usr/bin/python3.8";
  plan.python_version = "3.8.10";
  PlannedPackage package;
  package.component = "eccl";
  package.name = "tops-eccl";
  package.after = "2.5.136-1";
  package.size = 2048;
  plan.packages.push_back(package);
  package.component = "torch_gcu";
  package.name = "torch_gcu";
  package.before = "1.0";
  package.action = PackageAction::upgrade;
  plan.packages.push_back(package);
  plan.steps = {{"keep", "keep everything", KeepWriteSet{}, {}},
                {"debs", "dpkg --install e.deb", RunCommand{}, {"services"}}};
  plan.environment = Environment{
      "s", "/etc/profile.d/t.sh", {{"A", "1", Grade::guide, ""}}, {{"PATH", {}}}, {}, {}};
  return plan;
}

TEST(RenderPlan, ShowsPackagesStepsAndTheEnvironment) {
  EXPECT_EQ(render_plan(sample_plan(), plain),
            "plan for topsrider-t2x 2.5.136, Python 3.8.10 (/usr/bin/python3.8)\n"
            "  component  package    now  then       action   size\n"
            "  eccl       tops-eccl  -    2.5.136-1  install  2.0 KiB\n"
            "  torch_gcu  torch_gcu  1.0  2.5.136-1  upgrade  2.0 KiB\n"
            "  step 1 of 2: keep everything\n"
            "  step 2 of 2: dpkg --install e.deb\n"
            "      rollback cannot undo: services\n"
            "  /etc/profile.d/t.sh sets A PATH\n");
}

TEST(RenderPlan, OfARollbackHasNoPackages) {
  Plan plan;
  plan.command = "rollback";
  plan.steps = {{"restore", "roll back to the state before transaction 7", RestoreWriteSet{7}, {}}};
  EXPECT_EQ(render_plan(plan, plain),
            "plan for rollback\n  step 1 of 1: roll back to the state before transaction 7\n");
}

TEST(RenderExecution, OfADryRunIsThePlan) {
  Execution execution;
  execution.report.plan = sample_plan();
  execution.report.message = "nothing was changed: this is the plan";
  execution.report.not_restored = {"services"};
  EXPECT_EQ(render_execution(execution, plain),
            render_plan(sample_plan(), plain) + "state: nothing was changed: this is the plan\n");
}

TEST(RenderExecution, OfAPlannedRollbackNamesTheServices) {
  Execution execution;
  execution.report.outcome = Outcome::planned;
  execution.report.transaction = 1;
  execution.report.stops = {"a.service", "b@*.service"};
  EXPECT_THAT(render_execution(execution, plain), HasSubstr("  stops a.service b@*.service\n"));
}

TEST(RenderExecution, OfACommitShowsChecksAndPackages) {
  Execution execution;
  TransactionReport& report = execution.report;
  report.outcome = Outcome::committed;
  report.changed = true;
  report.plan = sample_plan();
  report.checks = {
      {"eccl-installed", CheckLevel::files, CheckStatus::pass, "tops-eccl 2", "", "unused", 0}};
  report.packages = {{"tops-eccl", PackageKind::deb, std::nullopt, "2", ""},
                     {"tops-sdk", PackageKind::deb, "2", "2", ""}};
  report.message = "transaction 12 committed";
  report.log = "/var/log/topsctl/12.log";
  EXPECT_EQ(render_execution(execution, plain),
            "checks: 1 passed\n"
            "  package    before  after\n"
            "  tops-eccl  -       2\n"
            "write set: predicted; 0 paths backed up\n"
            "state: transaction 12 committed\n"
            "log:   /var/log/topsctl/12.log\n");
}

TEST(RenderExecution, OfARollbackShowsTheProof) {
  Execution execution;
  TransactionReport& report = execution.report;
  report.outcome = Outcome::rollback_incomplete;
  report.failed = true;
  report.rollback = RollbackProof{12, {"/etc/x"}};
  report.not_restored = {"a service"};
  report.message = "a person is needed";
  report.root = "/srv/root";
  report.log = "/var/log/topsctl/12.log";
  EXPECT_EQ(render_execution(execution, plain),
            "rollback verified: 12 paths, 1 difference\n"
            "  differs: /etc/x\n"
            "rollback cannot undo: a service\n"
            "state: a person is needed\n"
            "log:   /srv/root/var/log/topsctl/12.log\n");
}

TEST(RenderExecution, ShowsChecksThatDidNotPassUnlessTheErrorDoes) {
  Execution execution;
  TransactionReport& report = execution.report;
  report.checks = {{"a", CheckLevel::files, CheckStatus::pass, "fine", "", "", 0},
                   {"b", CheckLevel::files, CheckStatus::unknown, "no card", "", "", 0}};
  report.message = "m";
  EXPECT_EQ(render_execution(execution, plain),
            "checks: 1 of 2 passed\n"
            "  check  result   observed\n"
            "  b      unknown  no card\n"
            "state: m\n");
  report.failed = true;
  EXPECT_EQ(render_execution(execution, plain), "checks: 1 of 2 passed\nstate: m\n");
}

TEST(RenderedTables, FitTheTerminal) {
  Style narrow{false, 60};
  const std::vector<std::vector<std::string>> rows = {
      {"check", "result", "observed"},
      {"torch-gcu-import", "fail", joined(std::vector<std::string>(20, "word"), " ")},
      {"files", "pass", std::string(100, 'x')},
      {std::string(80, 'y'), "pass", "short"}};
  const std::string text = table(rows, narrow);
  // What is one word, such as a path, stays whole.
  for (const std::string& line : split(text, '\n')) {
    if (line.find("xxx") == std::string::npos && line.find("yyy") == std::string::npos)
      EXPECT_LE(display_width(line), 60U) << line;
  }
  EXPECT_THAT(text, AllOf(HasSubstr("\n      fail    word word"), HasSubstr(std::string(100, 'x')),
                          HasSubstr(std::string(80, 'y') + "\n      pass    short\n")));
  const std::vector<std::vector<std::string>> small = {{"a", "b"}, {"c", "d"}};
  EXPECT_EQ(table(small, narrow), table(small, plain));
}

TEST(RenderedTables, GiveAWordThatIsTooLongALineBelow) {
  const std::string path = "/var/log/topsctl/runs/20261125T163200Z-4711/" + std::string(20, 'p');
  EXPECT_EQ(table({{"run", "state", "logs"},
                   {"20261125T163200Z-4711", "running", path},
                   {"20261125T163300Z-4712", "running", "/tmp/logs"}},
                  Style{false, 80}),
            "  run                    state    logs\n"
            "  20261125T163200Z-4711  running\n"
            "      " +
                path +
                "\n"
                "  20261125T163300Z-4712  running  /tmp/logs\n");
}

TEST(RenderExecution, ShowsTenDifferingPathsAtMost) {
  Execution execution;
  execution.report.outcome = Outcome::rollback_incomplete;
  execution.report.rollback = RollbackProof{50, std::vector<std::string>(20, "/x")};
  const std::string text = render_execution(execution, plain);
  EXPECT_EQ(split(text, '\n').size(), 1U + 10U + 1U + 1U) << text;
}

TEST(RenderChecks, HintWhereSomethingIsWrong) {
  EXPECT_EQ(render_checks(
                {{"a", CheckLevel::files, CheckStatus::pass, "fine", "", "h", 0},
                 {"long-id", CheckLevel::load, CheckStatus::fail, "missing", "", "install it", 0},
                 {"c", CheckLevel::load, CheckStatus::unknown, "?", "", "", 0},
                 {"d", CheckLevel::load, CheckStatus::skipped, "-", "", "", 0},
                 {"e", CheckLevel::load, CheckStatus::warn, "!", "", "", 0}},
                plain),
            "  check    result   observed\n"
            "  a        pass     fine\n"
            "  long-id  fail     missing\n"
            "                    hint: install it\n"
            "  c        unknown  ?\n"
            "  d        skip     -\n"
            "  e        warn     !\n");
}

}  // namespace
}  // namespace topsctl
