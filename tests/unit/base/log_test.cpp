// The log file: who may read it, what stands in its place, and that an event cannot forge another.
#include "topsctl/base/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <regex>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;

TEST(Logs, AreForTheOwnerOnly) {
  const TemporaryFolder folder;
  Log log(folder / "log");
  struct stat status {};
  ASSERT_EQ(::stat((folder / "log").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST(Logs, DoNotFollowALink) {
  const TemporaryFolder folder;
  folder.write("precious", "as it was");
  fs::create_symlink(folder / "precious", folder / "log");
  const Error error = thrown_by([&] { Log log(folder / "log"); });
  EXPECT_THAT(error.message(), HasSubstr("cannot open log file"));
  EXPECT_EQ(folder.read("precious"), "as it was");
}

TEST(Logs, DoNotMakeTheTargetOfADanglingLink) {
  const TemporaryFolder folder;
  fs::create_symlink(folder / "target", folder / "log");
  thrown_by([&] { Log log(folder / "log"); });
  EXPECT_FALSE(fs::exists(folder / "target"));
}

TEST(Logs, DoNotHangOnAFifo) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "log").c_str(), 0600), 0);
  thrown_by([&] { Log log(folder / "log"); });
}

TEST(Logs, HaveOneLineAnEventWithTimeAndLevel) {
  const TemporaryFolder folder;
  {
    Log log(folder / "log");
    log.info("one");
    log.warning("two");
    log.error("three");
  }
  const std::vector<std::string> lines = split(folder.read("log"), '\n');
  ASSERT_EQ(lines.size(), 4U);
  const std::string time = "[0-9-]{10}T[0-9:.]{12}Z ";
  EXPECT_THAT(lines[0], MatchesRegex(time + "info one"));
  EXPECT_THAT(lines[1], MatchesRegex(time + "warning two"));
  EXPECT_THAT(lines[2], MatchesRegex(time + "error three"));
}

TEST(Logs, AppendToWhatIsThere) {
  const TemporaryFolder folder;
  folder.write("log", "earlier\n");
  Log(folder / "log").info("later");
  EXPECT_THAT(folder.read("log"), MatchesRegex("earlier\n.* info later\n"));
}

TEST(Logs, TakeFormatCharactersAsTheyStand) {
  const TemporaryFolder folder;
  Log(folder / "log").info("{} {0} %s %n");
  EXPECT_THAT(folder.read("log"), HasSubstr("info {} {0} %s %n\n"));
}

TEST(Logs, ShowNoControlCharacters) {
  const TemporaryFolder folder;
  Log(folder / "log").info("a\x1b[2Jb");
  EXPECT_THAT(folder.read("log"), HasSubstr("a?[2Jb"));
}

TEST(Logs, LetNoEventForgeAnother) {
  const TemporaryFolder folder;
  Log(folder / "log").info("said\n2026-01-01T00:00:00.000Z info transaction 1 committed");
  const std::string text = folder.read("log");
  const std::regex beginning("(^|\n)[0-9-]{10}T[0-9:.]{12}Z ");
  EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), beginning), {}), 1)
      << text;
}

}  // namespace
}  // namespace topsctl
