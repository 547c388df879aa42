// The table of a command's options, and what was given as words of a command line.
#include "cli/option_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.hpp"
#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;

struct TableTargets {
  std::string stack;
  std::vector<std::string> accepted;
  std::vector<std::string> paths;
  std::string target;
  bool dry_run = false;
  int keep = 0;
};

class OptionTables : public testing::Test {
 protected:
  OptionTables() {
    command_.argument("path", targets_.paths, "", "PATH");
    command_.value("--stack", targets_.stack, "", "STACK");
    command_.value("--accept", targets_.accepted, "", "ID");
    command_.flag("-n,--dry-run", targets_.dry_run, "");
    prune_.value("-k,--keep", targets_.keep, "", "K");
    command_.group = "On other machines";
    command_.value("--target", targets_.target, "", "TARGET");
  }

  std::vector<std::string> words_after(const std::vector<std::string>& words) {
    parse_command_line(program_, words);
    return given_words(command_, "On other machines");
  }

  TableTargets targets_;
  OptionTable program_{"program", ""};
  OptionTable& command_ = program_.part("history", "");
  OptionTable& prune_ = command_.part("prune", "");
};

TEST_F(OptionTables, TellWhatWasGivenAsWordsWithLongNames) {
  EXPECT_THAT(words_after({"history"}), ElementsAre("history"));
  EXPECT_THAT(words_after({"history", "-n", "--accept", "a b", "--accept=c", "--stack", ""}),
              ElementsAre("history", "--stack=", "--accept=a b", "--accept=c", "--dry-run"));
}

TEST_F(OptionTables, TellTheWordsOfAPartBehindItsName) {
  EXPECT_THAT(words_after({"history", "prune", "-k", "3", "-n"}),
              ElementsAre("history", "--dry-run", "prune", "--keep=3"));
}

TEST_F(OptionTables, TellArgumentsBehindAllElse) {
  EXPECT_THAT(words_after({"history", "x", "y", "-n"}),
              ElementsAre("history", "--dry-run", "x", "y"));
}

TEST_F(OptionTables, LeaveOutOneGroupOfOptions) {
  EXPECT_THAT(words_after({"history", "--target", "node1", "-n"}),
              ElementsAre("history", "--dry-run"));
}

TEST_F(OptionTables, KnowAnOptionByEachOfItsNames) {
  EXPECT_EQ(&command_.option("-n"), &command_.option("--dry-run"));
  EXPECT_THAT(command_.option("-n").names, ElementsAre("--dry-run", "-n"));
  try {
    command_.has("--nope");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_THAT(error.message(), testing::HasSubstr("'--nope'"));
  }
}

TEST_F(OptionTables, KnowWhichOptionsWereGiven) {
  words_after({"history", "--stack", "a"});
  EXPECT_TRUE(command_.has("--stack"));
  EXPECT_FALSE(command_.has("--dry-run"));
}

}  // namespace
}  // namespace topsctl
