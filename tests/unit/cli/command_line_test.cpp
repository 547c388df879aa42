// What the parser makes of a command line and a table of options.
#include "cli/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/error.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Targets {
  bool is_set = false;
  int number = 7;
  unsigned jobs = 8;
  std::int64_t id = 0;
  std::size_t count = 0;
  std::optional<std::size_t> most;
  std::string text = "usual";
  std::optional<std::string> file;
  std::vector<std::string> list;
  std::vector<std::string> rest;
};

std::string odd_only(const std::string& value) {
  return value.find_first_of("13579") == std::string::npos ? value + " is even" : "";
}

class CommandLines : public testing::Test {
 protected:
  CommandLines() {
    program_.flag("-v,--verbose", is_verbose_, "Say more");
    work_.argument("rest", targets_.rest, "What is left", "WORD").required();
    work_.flag("-s,--set", targets_.is_set, "Set it");
    work_.value("--number", targets_.number, "A number", "N").check(odd_only);
    work_.value("-j,--jobs", targets_.jobs, "Jobs", "N");
    work_.value("--id", targets_.id, "An id", "ID");
    work_.value("--count", targets_.count, "A count", "N").excludes("--most");
    work_.value("--most", targets_.most, "A limit", "N");
    work_.value("--text", targets_.text, "A text", "TEXT").hidden();
    work_.value("--file", targets_.file, "A file", "FILE");
    work_.value("--list", targets_.list, "A list", "EACH");
    work_.immediate(
        "--now", [this] { was_run_ = true; }, "Do it now");
    show_.flag("--all", shows_all_, "All of it");
    play_.is_hidden = true;
  }

  const OptionTable* parsed(const std::vector<std::string>& words) {
    return parse_command_line(program_, words).command;
  }

  Error refused(const std::vector<std::string>& words) {
    try {
      parse_command_line(program_, words);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error;
    }
    ADD_FAILURE() << "was accepted";
    return Error(ErrorCode::internal, "");
  }

  bool is_verbose_ = false;
  bool was_run_ = false;
  bool shows_all_ = false;
  Targets targets_;
  OptionTable program_{"program", "Does things"};
  OptionTable& work_ = program_.part("work", "Work on something");
  OptionTable& play_ = program_.part("play", "Play something");
  OptionTable& look_ = program_.part("look", "Look at something");
  OptionTable& show_ = look_.part("show", "Show one");
  OptionTable& list_ = look_.part("list", "List all");
};

TEST_F(CommandLines, PutEachValueIntoItsTarget) {
  EXPECT_EQ(parsed({"work", "-s", "--number=3", "-j", "4", "--id", "999999999999", "--count", "5",
                    "--text", "t", "--file", "f", "--list", "a", "--list", "b", "x", "y"}),
            &work_);
  EXPECT_TRUE(targets_.is_set);
  EXPECT_EQ(targets_.number, 3);
  EXPECT_EQ(targets_.jobs, 4U);
  EXPECT_EQ(targets_.id, 999999999999);
  EXPECT_EQ(targets_.count, 5U);
  EXPECT_EQ(targets_.text, "t");
  EXPECT_EQ(targets_.file, "f");
  EXPECT_THAT(targets_.list, ElementsAre("a", "b"));
  EXPECT_THAT(targets_.rest, ElementsAre("x", "y"));
}

TEST_F(CommandLines, LeaveTheTargetsOfWhatIsNotGiven) {
  EXPECT_EQ(parsed({"work", "x"}), &work_);
  EXPECT_EQ(targets_.number, 7);
  EXPECT_EQ(targets_.text, "usual");
  EXPECT_EQ(targets_.most, std::nullopt);
  EXPECT_EQ(targets_.file, std::nullopt);
}

TEST_F(CommandLines, TakeOneValueForEachNameOfAList) {
  parsed({"work", "--list", "a", "x"});
  EXPECT_THAT(targets_.list, ElementsAre("a"));
  EXPECT_THAT(targets_.rest, ElementsAre("x"));
}

TEST_F(CommandLines, TakeTheProgramsOptionsBehindACommand) {
  EXPECT_EQ(parsed({"look", "show", "--all", "-v"}), &look_);
  EXPECT_TRUE(is_verbose_);
  EXPECT_TRUE(shows_all_);
  EXPECT_TRUE(show_.is_given);
  EXPECT_FALSE(list_.is_given);
  EXPECT_EQ(given_command(program_), &look_);
}

TEST_F(CommandLines, NameTheLastOfSeveralCommands) {
  EXPECT_EQ(parsed({"look", "play"}), &play_);
  EXPECT_EQ(given_command(program_), &play_) << "the first in the table";
  EXPECT_EQ(parsed({"-v"}), nullptr);
}

TEST_F(CommandLines, RunImmediateOptionsBeforeTheRestIsJudged) {
  refused({"work", "--now", "--nope"});
  EXPECT_TRUE(was_run_);
}

TEST_F(CommandLines, GiveTheHelpThatWasAskedFor) {
  EXPECT_THAT(parse_command_line(program_, {"-h"}).help.value_or(""),
              HasSubstr("Work on something"));
  const std::string help = parse_command_line(program_, {"work", "-h"}).help.value_or("");
  EXPECT_THAT(help, HasSubstr("Usage: program work [OPTIONS] rest..."));
  EXPECT_THAT(help, HasSubstr("-j,--jobs N"));
  EXPECT_THAT(help, HasSubstr("Excludes: --most"));
  EXPECT_THAT(help, Not(HasSubstr("--text")));
  EXPECT_THAT(parse_command_line(program_, {"look", "show", "-h"}).help.value_or(""),
              HasSubstr("Usage: program look show [OPTIONS]"));
}

TEST_F(CommandLines, RefuseOneThingAfterAnotherOfACommand) {
  EXPECT_EQ(refused({"look", "show", "list"}).message(), "unknown argument 'list'");
}

TEST_F(CommandLines, ReadNumbersWithLeadingZerosAsDecimal) {
  parsed({"work", "x", "--number", "011", "--id", "08", "--most", "000", "--text", "010"});
  EXPECT_EQ(targets_.number, 11);
  EXPECT_EQ(targets_.id, 8);
  EXPECT_EQ(targets_.most, 0U);
  EXPECT_EQ(targets_.text, "010");
}

TEST_F(CommandLines, SayWhatAValueLacks) {
  EXPECT_EQ(refused({"work", "x", "--number", "2"}).message(), "--number: 2 is even");
  EXPECT_EQ(refused({"work", "x", "--id", "y"}).message(), "could not convert: --id = y");
  EXPECT_EQ(refused({"work", "x", "--file"}).message(), "--file: 1 required FILE missing");
}

TEST_F(CommandLines, SayWhichOptionsExcludeEachOtherInAnyOrder) {
  EXPECT_EQ(refused({"work", "x", "--most=1", "--count=1"}).message(), "--count excludes --most");
  EXPECT_EQ(refused({"work", "x", "--count=1", "--most=1"}).message(), "--count excludes --most");
}

TEST_F(CommandLines, SuggestOptionsOfTheCommandAndOfTheProgram) {
  EXPECT_EQ(refused({"work", "x", "--numbr"}).message(),
            "unknown option '--numbr' (did you mean '--number'?)");
  EXPECT_EQ(refused({"look", "--verbos"}).message(),
            "unknown option '--verbos' (did you mean '--verbose'?)");
}

TEST_F(CommandLines, NameTheHelpOfTheCommandThatWasWronglyGiven) {
  EXPECT_EQ(refused({"work"}).hint(), "`program work -h` shows the usage");
  EXPECT_EQ(refused({"-x"}).hint(), "`program -h` shows the usage");
  EXPECT_EQ(given_command(program_), nullptr) << "as on the last of them";
}

}  // namespace
}  // namespace topsctl
