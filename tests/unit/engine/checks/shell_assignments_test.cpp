// Assignments of a shell's start file: quotes, several on a line, expansions, and what is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/programs.hpp"
#include "support/sample_stack.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/checks/assignments.hpp"
#include "topsctl/engine/checks/shell_assignments.hpp"
#include "topsctl/model/environment.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Assignment> read(std::string_view text) {
  return shell_assignments(text, [](std::string_view) { return true; }).assignments;
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const Assignment& a : read(text)) {
    lines.push_back(concat(a.line, " ", a.name, "=", a.value, a.is_known ? "" : " (unknown)",
                           a.appends_bare ? " (bare)" : ""));
  }
  return lines;
}

TEST(ShellAssignments, AreFoundInAllTheirForms) {
  EXPECT_THAT(lines_of("export A=b\nB='c d' C=\"e f\"; export D=1 E F=2 # G=3\n"
                       "if true; then H=4; fi\ndeclare -x I=5 && readonly J=6\nexport K\n"
                       "\tL=a\\ b\nM=one\\\ntwo\n N=\n"),
              ElementsAre("1 A=b", "2 B=c d", "2 C=e f", "2 D=1", "2 F=2", "3 H=4", "4 I=5",
                          "4 J=6", "6 L=a b", "7 M=onetwo", "9 N="));
}

TEST(ShellAssignments, AreNotWhatOnlyLooksLikeThem) {
  EXPECT_THAT(lines_of("A=1 command\n# B=2\necho C=3\n1D=4\ncat <<EOF\nE=5\nexport F=6\nEOF\n"
                       "cat <<-'END' > x\n\tG=7\n\tEND\necho \"\nH=8\n\"\nx I=9\n"),
              IsEmpty());
}

TEST(ShellAssignments, ExpandWhatTheTextHasSetBefore) {
  EXPECT_THAT(lines_of("T=/opt/tops\nexport L=$T/lib:${T}/lib64\nP=\"$T\"'$T'\nQ=$UNSET/x\n"
                       "R=$(id)\nS=`id`\nU=${T:-x}\n"),
              ElementsAre("1 T=/opt/tops", "2 L=/opt/tops/lib:/opt/tops/lib64", "3 P=/opt/tops$T",
                          "4 Q=$UNSET/x (unknown)", "5 R=$(id) (unknown)", "6 S=`id` (unknown)",
                          "7 U=${T:-x} (unknown)"));
}

TEST(ShellAssignments, AreFoundAfterWhatOnlyLooksLikeAHereDocument) {
  EXPECT_THAT(lines_of("read x <<< \"$y\"\nA=1\n: $((1 << 2))\n((z << 2))\nB=2\n"),
              ElementsAre("2 A=1", "5 B=2"));
}

TEST(ShellAssignments, MayBeRedirected) {
  EXPECT_THAT(lines_of("A=1 2>&1\nB=2 >/dev/null C=3\n"), ElementsAre("1 A=1", "2 B=2", "2 C=3"));
}

TEST(ShellAssignments, TellAVariableThatIsAppendedBare) {
  EXPECT_THAT(lines_of("X=/a:$X\n"), ElementsAre("1 X=/a:$X (bare)"));
  EXPECT_THAT(lines_of("export X=\"${X}:/a\"\n"), ElementsAre("1 X=${X}:/a (bare)"));
  EXPECT_THAT(lines_of("X=\"/a${X:+:$X}\"\n"), ElementsAre("1 X=/a${X:+:$X}"));
  EXPECT_THAT(lines_of("X=$X\n"), ElementsAre("1 X=$X"));
  EXPECT_THAT(lines_of("X=/b\nX=/a:$X\n"), ElementsAre("1 X=/b", "2 X=/a:/b"));
  EXPECT_THAT(lines_of("if [ -n \"$X\" ]; then X=/a:$X; else X=/a; fi\n"),
              ElementsAre("1 X=/a:$X", "1 X=/a"));
}

TEST(ShellAssignments, TellWhatIsTestedBefore) {
  EXPECT_TRUE(shell_assignments("if [ -d '/opt/x' ]; then A=1; fi\n", [](std::string_view) {
                return true;
              }).tested.contains("/opt/x"));
}

TEST(ShellAssignments, AreThoseThatAShellMakes) {
  const std::string text =
      "A='it'\\''s' B=\"a\\\"b\\$c\\`d\\\\e\" C=x\\ y\nexport D=\"a  b\"'c'd E=a#b\nF=\"$A$D\" "
      "G=$A\n";
  std::string script = text;
  std::string expected;
  for (const Assignment& a : read(text)) {
    script += concat("printf '%s\\n' \"$", a.name, "\"\n");
    expected += concat(a.value, "\n");
  }
  EXPECT_EQ(read(text).size(), 7U);
  EXPECT_EQ(output_of({"/bin/sh", "-eu", "-c", script}), expected);
}

TEST(ShellAssignments, OfTheStacksOwnFileAreItsVariables) {
  const Environment environment =
      derive_environment(sample_stack(), {"/opt/e/lib/libeccl.so", "/opt/s/lib/libdtu_sdk.so"});
  const std::vector<Assignment> assignments = read(shell_file(environment));
  for (std::size_t i = 0; i < environment.variables.size(); ++i) {
    EXPECT_EQ(assignments.at(i).name, environment.variables[i].name);
    EXPECT_EQ(assignments.at(i).value, environment.variables[i].value);
  }
  for (const Assignment& assignment : assignments) EXPECT_FALSE(assignment.appends_bare);
}

TEST(ShellAssignments, ExpandNoMoreThanFitsIntoMemory) {
  std::string text = "A=0123456789abcdef\n";
  for (int i = 0; i < 60; ++i) text += "A=$A$A\nB=$A\nC=$A\n";
  std::size_t bytes = 0;
  for (const Assignment& each :
       shell_assignments(text, [](std::string_view) { return true; }).assignments)
    bytes += each.value.size();
  EXPECT_GT(bytes, std::size_t{1} << 20U);
  EXPECT_LT(bytes, std::size_t{8} << 20U);
}

TEST(ShellAssignments, EndWhateverTheTextHolds) {
  for (const char* text : {"A='", "A=\"", "A=${", "A=$(", "A=`", "A=\\", "cat <<", "cat <<E", "A=$",
                           "<<'", "A=${X", "\"$", "[ ", "export", "((((", "}}}}"})
    static_cast<void>(read(text));
}

}  // namespace
}  // namespace topsctl
