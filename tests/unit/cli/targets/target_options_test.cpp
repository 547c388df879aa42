// Which passwords are asked for, and which target gets which.
#include "cli/targets/target_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

// Answers with the question, or not at all.
class Echoing : public Prompter {
 public:
  std::optional<Secret> ask(const std::string& question, Echo echo) override {
    EXPECT_EQ(echo, Echo::off);
    ++asked;
    return is_there ? std::optional(Secret(question)) : std::nullopt;
  }

  int asked = 0;
  bool is_there = true;
};

class SudoPasswords : public testing::Test {
 protected:
  std::vector<std::string> asked_for(const SudoOptions& options) {
    Secrets secrets(prompter);
    std::vector<std::string> texts;
    for (const Secret& each : sudo_passwords(targets, options, wishes, secrets))
      texts.emplace_back(each.view());
    return texts;
  }

  TemporaryFolder folder;
  SshOptions wishes{.environment = {{"HOME", folder.path().string()}},
                    .config = folder.write("config", "Host h3\n  User ops\n").string()};
  const std::vector<Target> targets = {parse_target("ops@h1"), parse_target("root@h2"),
                                       parse_target("h3/box")};
  Echoing prompter;
};

TEST_F(SudoPasswords, AreAskedForForEachTargetButRootsOwn) {
  EXPECT_THAT(asked_for({.ask = true}),
              testing::ElementsAre("sudo password for ops@h1:", "", "sudo password for h3/box:"));
}

TEST_F(SudoPasswords, AreNotAskedForWhereTheConfigurationSaysRoot) {
  wishes.config = folder.write("config", "Host h3\n  User root\n").string();
  EXPECT_THAT(asked_for({.ask = true}), testing::ElementsAre("sudo password for ops@h1:", "", ""));
}

TEST_F(SudoPasswords, AreOneOnlyWhereThatWasSaid) {
  const std::string one = "sudo password for all targets:";
  EXPECT_THAT(asked_for({.ask = true, .ask_once = true}), testing::ElementsAre(one, "", one));
  EXPECT_THAT(asked_for({.ask_once = true}), testing::ElementsAre(one, "", one));
  EXPECT_EQ(prompter.asked, 2);
}

TEST_F(SudoPasswords, AreNotAskedForUnlessTheyAreWanted) {
  EXPECT_THAT(asked_for({}), testing::ElementsAre("", "", ""));
  EXPECT_EQ(prompter.asked, 0);
}

TEST_F(SudoPasswords, NeedATerminal) {
  prompter.is_there = false;
  EXPECT_EQ(thrown_by([&] { asked_for({.ask = true}); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace topsctl
