// Another program in the place of this one: its words, environment and status are its own.
#include "topsctl/host/system/exec_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

// The exit status of a child that becomes the program.
int status_of(const std::vector<std::string>& argv,
              const std::map<std::string, std::string>& environment) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      exec_program(argv, environment);
    } catch (const Error&) {
      ::_exit(99);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(InPlace, EndsAsTheProgramEnds) {
  EXPECT_EQ(status_of({"sh", "-c", "exit 7"}, {{"PATH", "/bin"}}), 7);
  EXPECT_EQ(status_of({"/bin/sh", "-c", "kill -9 $$"}, {}), -9);
}

TEST(InPlace, HandsWordsAndEnvironmentOverAsTheyAre) {
  EXPECT_EQ(status_of({"/bin/sh", "-c",
                       "test \"$1\" = '[a,b]' && test \"$X\" = \"$2\" && "
                       "test -z \"${HOME-}\"",
                       "sh", "[a,b]", "$(id) '\"\n"},
                      {{"X", "$(id) '\"\n"}}),
            0);
}

TEST(InPlace, LooksInThePathOfTheNewEnvironment) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.write("bin/x", "#!/bin/sh\nexit 5\n"),
                               std::filesystem::perms(0755));
  folder.write("no/x", "no program");
  EXPECT_EQ(
      status_of({"x"}, {{"PATH", (folder / "no").string() + ":" + (folder / "bin").string()}}), 5);
}

TEST(InPlace, RefusesWhatIsNotThereOrMayNotBeRun) {
  const Error missing = thrown_by([] { exec_program({"no-such-program"}, {{"PATH", "/bin"}}); });
  EXPECT_EQ(missing.code(), ErrorCode::usage);
  EXPECT_THAT(missing.message(), HasSubstr("no such program: 'no-such-program'"));
  EXPECT_EQ(thrown_by([] { exec_program({"/etc"}, {}); }).code(), ErrorCode::permission);
  EXPECT_EQ(thrown_by([] { exec_program({}, {}); }).code(), ErrorCode::usage);
}

}  // namespace
}  // namespace topsctl
