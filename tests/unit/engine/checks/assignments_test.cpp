// Assignments of log-ins, units and processes.
#include "topsctl/engine/checks/assignments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool every_name(std::string_view) {
  return true;
}

std::vector<std::string> lines_of(const std::vector<Assignment>& assignments) {
  std::vector<std::string> lines;
  for (const Assignment& a : assignments)
    lines.push_back(std::to_string(a.line) + " " + a.name + "=" + a.value);
  return lines;
}

TEST(LoginAssignments, AreLinesOfNameAndValue) {
  EXPECT_THAT(
      lines_of(login_assignments("PATH=\"/bin:/x\"\n# A=1\n\n export B='c d' \nC=$HOME # x\n"
                                 "nothing\n1X=2\nD=\n",
                                 every_name)),
      ElementsAre("1 PATH=/bin:/x", "4 B=c d", "5 C=$HOME", "8 D="));
}

TEST(UnitAssignments, AreThoseOfEnvironment) {
  EXPECT_THAT(lines_of(unit_assignments("[Service]\nEnvironment=\"A=b c\" B=d 'C=\\\"e'\n"
                                        "EnvironmentFile=/x\n#Environment=X=1\nExecStart=Y=2 z\n"
                                        "Environment = \\\n  D=5%%\\\n  E=6\n",
                                        every_name)),
              ElementsAre("2 A=b c", "2 B=d", "2 C=\"e", "6 D=5%", "6 E=6"));
  EXPECT_THAT(unit_assignments("Environment=A=1\nEnvironment=\n", every_name), IsEmpty());
}

TEST(ProcessAssignments, EndWithNul) {
  EXPECT_THAT(lines_of(process_assignments(std::string("A=b=c\0B=\nd\0broken\0", 18), every_name)),
              ElementsAre("0 A=b=c", "0 B=\nd"));
}

TEST(Assignments, AreOfAskedNamesOnly) {
  const auto only_a = [](std::string_view name) { return name == "A"; };
  EXPECT_THAT(lines_of(login_assignments("A=1\nSECRET=2\n", only_a)), ElementsAre("1 A=1"));
  EXPECT_THAT(lines_of(unit_assignments("Environment=A=1 SECRET=2\n", only_a)),
              ElementsAre("1 A=1"));
}

}  // namespace
}  // namespace topsctl
