// Which wheel each interpreter takes, and what pip makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_compatibility.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CompatibilityOfWheels : public SampleCompatibility {
 protected:
  // "EXECUTABLE DISTRIBUTION: FILE or -, why" for all, "*" after the interpreter that is taken.
  std::vector<std::string> table() const {
    std::vector<std::string> rows;
    for (const InterpreterCompatibility& interpreter : fit().interpreters) {
      for (const DistributionCompatibility& choice : interpreter.wheels) {
        const std::string wheel =
            choice.wheel ? inspection_.inventory.packages[*choice.wheel].path : "-";
        rows.push_back(concat(interpreter.minor, interpreter.is_taken ? "* " : " ",
                              choice.distribution, ": ", wheel, ", ", choice.why));
      }
    }
    return rows;
  }
};

TEST_F(CompatibilityOfWheels, AreChosenForEachInterpreter) {
  wheel("torch_gcu", "1.10.0", "py3.6-none-any", "3.6");
  wheel("torch_gcu", "1.10.0", "py3.8-none-any", "3.8");
  wheel("ptex", "1.3.20", "py3-none-any");
  target_.pythons = {sample_python("3.11"), sample_python("3.8"), sample_python("3.6")};
  EXPECT_THAT(
      table(),
      ElementsAre(
          "3.11 ptex: wheels/ptex-1.3.20-py3-none-any.whl, it is for py3",
          "3.11 torch-gcu: -, it is for Python 3.6",
          "3.8* ptex: wheels/ptex-1.3.20-py3-none-any.whl, it is for py3",
          "3.8* torch-gcu: wheels/torch_gcu-1.10.0-py3.8-none-any.whl, it is for Python 3.8",
          "3.6 ptex: wheels/ptex-1.3.20-py3-none-any.whl, it is for py3",
          "3.6 torch-gcu: wheels/torch_gcu-1.10.0-py3.6-none-any.whl, it is for Python "
          "3.6"));
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfWheels, AreTheNewestThatFits) {
  wheel("ptex", "1.9", "py3-none-any");
  wheel("ptex", "1.10", "py3-none-any");
  wheel("ptex", "2.0", "py3.6-none-any", "3.6");
  target_.pythons = {sample_python("3.8")};
  EXPECT_THAT(table(), ElementsAre("3.8* ptex: wheels/ptex-1.10-py3-none-any.whl, it is for py3"));
}

TEST_F(CompatibilityOfWheels, ThatNoInterpreterTakesAreNamedOncePerDistribution) {
  const std::string first = wheel("torch_gcu", "1.10.0", "py3.6-none-any", "3.6").path;
  wheel("torch_gcu", "1.10.0", "py3.8-none-any", "3.8");
  target_.pythons = {sample_python("3.11")};
  EXPECT_THAT(ids(), ElementsAre("no-interpreter-for-wheel " + first));
  EXPECT_THAT(
      evidence("no-interpreter-for-wheel"),
      ElementsAre("wheels/torch_gcu-1.10.0-py3.6-none-any.whl: not for /usr/bin/python3.11 (Python "
                  "3.11): it is for Python 3.6",
                  "wheels/torch_gcu-1.10.0-py3.8-none-any.whl: not for /usr/bin/python3.11 (Python "
                  "3.11): it is for Python 3.8"));
  target_.pythons.clear();
  EXPECT_EQ(finding("no-interpreter-for-wheel").evidence[0].text, "the target has no Python");
}

TEST_F(CompatibilityOfWheels, BesideAnotherReleaseOfWhatTheyExtendAreToldOf) {
  const std::string path = wheel("torch_gcu", "1.10.0+2.5.136", "py3.8-none-any", "3.8").path;
  rules_.companions = {{"torch-gcu", "torch"}};
  InstalledWheel torch;
  torch.name = "torch";
  target_.pythons = {sample_python("3.8")};
  EXPECT_THAT(ids(), IsEmpty()) << "torch may come later";
  const auto ids_beside = [&](const std::string& version) {
    torch.version = version;
    target_.pythons[0].wheels = {torch};
    return ids();
  };
  const auto told = ElementsAre("companion-version-differs " + path);
  EXPECT_THAT(ids_beside("1.10.2+cpu"), IsEmpty());
  EXPECT_THAT(ids_beside("1.7.0"), told);
  EXPECT_THAT(ids_beside("1.1.0"), told);
  EXPECT_THAT(ids_beside("1.100"), told);
  EXPECT_THAT(ids_beside("2.10.0"), told);
  EXPECT_THAT(ids_beside("unknown"), told);
  target_.pythons[0].wheels.clear();
  torch.version = "1.13.0a0";
  target_.pythons[0].eggs = {torch};
  EXPECT_THAT(ids(), told) << "Debian's package has an egg-info";
  EXPECT_EQ(finding("companion-version-differs").severity, Severity::warning);
  EXPECT_EQ(finding("companion-version-differs").evidence[0].text,
            "torch 1.13.0a0 is installed, the wheel is for torch 1.10");
  rules_.companions.clear();
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfWheels, AreNotJudgedWhereOnlyRootMayAskTheInterpreters) {
  const std::string first = wheel("ptex", "1.3.20", "py3-none-any").path;
  wheel("torch_gcu", "1.10.0", "py3.6-none-any", "3.6");
  target_.are_pythons_known = false;
  EXPECT_THAT(ids(), ElementsAre("interpreters-not-asked " + first));
  EXPECT_EQ(finding("interpreters-not-asked").severity, Severity::warning);
  EXPECT_EQ(finding("interpreters-not-asked").evidence.size(), 2U);
}

TEST_F(CompatibilityOfWheels, ForAnotherArchitectureAreSaidToBe) {
  const std::string path = wheel("ptex", "1", "cp38-cp38-linux_aarch64", "3.8").path;
  target_.pythons = {sample_python("3.8"), sample_python("3.11")};
  EXPECT_THAT(ids(), ElementsAre("architecture-differs " + path));
}

TEST_F(CompatibilityOfWheels, NeedNoPip) {
  wheel("ptex", "1", "py3.8-none-any", "3.8");
  target_.pythons = {sample_python("3.8"), sample_python("3.11")};
  target_.pythons[0].pip_version.clear();
  EXPECT_THAT(ids(), IsEmpty());
  target_.pythons[1] = sample_python("3.8");
  target_.pythons[1].executable = "/opt/python3.8";
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_TRUE(fit().interpreters[1].is_taken) << "one with pip is taken before one without";
}

TEST_F(CompatibilityOfWheels, OfVersionsThatPipRefusesAreNamed) {
  const std::string path = wheel("horovod", "0.19.1.115.gcu", "py3-none-any").path;
  target_.pythons = {sample_python("3.8")};
  target_.pythons[0].pip_version = "23.3.2";
  EXPECT_THAT(ids(), IsEmpty());
  target_.pythons[0].pip_version = "24.1";
  EXPECT_THAT(ids(), ElementsAre("pip-refuses-version " + path));
  EXPECT_THAT(evidence("pip-refuses-version"),
              ElementsAre("/usr/bin/python3.8: pip 24.1 rejects version '0.19.1.115.gcu'"));
  target_.pythons.push_back(sample_python("3.11"));
  EXPECT_THAT(ids(), IsEmpty()) << "another interpreter's pip takes it";
  inspection_.inventory.packages[0].version = "0.19.1+115.gcu";
  target_.pythons.pop_back();
  EXPECT_THAT(ids(), IsEmpty());
}

TEST_F(CompatibilityOfWheels, AreComparedWithWhatTheInterpreterHas) {
  wheel("torch_gcu", "1.10.0+2.5.136", "py3-none-any");
  wheel("ptex", "1.9", "py3-none-any");
  target_.pythons = {sample_python("3.8")};
  target_.pythons[0].wheels = {{"Torch.GCU", "1.10.0+2.5.115", "", "", {}, ""},
                               {"ptex", "1.10", "", "", {}, ""}};
  const std::vector<CompatibilityChange> expected = {
      {1, "/usr/bin/python3.8", "1.10", "1.9", ChangeAction::downgrade},
      {0, "/usr/bin/python3.8", "1.10.0+2.5.115", "1.10.0+2.5.136", ChangeAction::upgrade}};
  EXPECT_EQ(fit().changes, expected);
  EXPECT_THAT(ids(), ElementsAre("package-downgrade wheels/ptex-1.9-py3-none-any.whl"));
  EXPECT_THAT(evidence("package-downgrade"),
              ElementsAre("/usr/bin/python3.8: ptex 1.10 is installed, the wheel has 1.9"));
}

}  // namespace
}  // namespace topsctl
