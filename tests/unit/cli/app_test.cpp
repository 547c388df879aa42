// The program as a whole: what the command line may be, and what comes back.
#include "topsctl/cli/app.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "support/temporary_folder.hpp"
#include "support/whole_program.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Program, WithoutArgumentsShowsHowToCallIt) {
  const ProgramResult result = run_topsctl({});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.out, IsEmpty());
  EXPECT_THAT(result.err, HasSubstr("install"));
}

TEST(Program, SaysItsVersion) {
  const ProgramResult result = run_topsctl({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "topsctl " + std::string(topsctl_version()) + "\n");
}

TEST(Program, HasShortHelpForEveryCommandAndFitsAScreen) {
  for (const CommandRow& row : command_table()) {
    const ProgramResult result = run_topsctl({row.name, "-h"});
    EXPECT_EQ(result.status, 0) << row.name;
    EXPECT_THAT(result.out, HasSubstr(row.name));
    EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 40) << row.name;
  }
}

TEST(Program, PrintsTheWholePageOfEveryCommand) {
  for (const CommandRow& row : command_table()) {
    const ProgramResult result = run_topsctl({row.name, "--help"});
    EXPECT_EQ(result.status, 0) << row.name;
    EXPECT_EQ(result.out, embedded_file(std::string("commands/") + row.name + ".md").value_or(""));
  }
  EXPECT_EQ(run_topsctl({"--help"}).out, embedded_file("commands/topsctl.md").value_or(""));
}

TEST(Program, NamesTheCommandThatWasProbablyMeant) {
  const ProgramResult result = run_topsctl({"instal"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err,
              StartsWith("error: unknown command 'instal' (did you mean 'install'?)\nhint:"));
}

TEST(Program, NamesTheOptionThatWasProbablyMeant) {
  const ProgramResult result = run_topsctl({"history", "--rot", "/"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown option '--rot' (did you mean '--root'?)"));
}

TEST(Program, ShowsStrangeArgumentsHarmless) {
  const ProgramResult result = run_topsctl({"in\x1b[31mstall"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos);
}

TEST(Program, TakesGlobalOptionsOnEitherSide) {
  for (const auto& arguments :
       std::vector<std::vector<std::string>>{{"--json", "version"}, {"version", "--json"}}) {
    const ProgramResult result = run_topsctl(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(Json::parse(result.out)["command"], "version");
  }
}

TEST(Program, AnswersInJsonAlsoWhenItFails) {
  const TemporaryFolder folder;
  const ProgramResult result = run_topsctl({"inspect", "--json", (folder / "none").string()});
  EXPECT_EQ(result.status, 3);
  const Json json = Json::parse(result.out);
  EXPECT_EQ(json["command"], "inspect");
  EXPECT_EQ(json["status"], "bad_input");
  EXPECT_EQ(json["error"]["code"], "bad_bundle");
  EXPECT_TRUE(json["packages"].is_array());
  EXPECT_TRUE(json["findings"].is_array());
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Program, RefusesARootThatIsNoSystem) {
  const TemporaryFolder folder;
  for (const char* command : {"history", "env"}) {
    const ProgramResult result = run_topsctl({command, "--root", folder.path().string()});
    EXPECT_EQ(result.status, 4) << command;
    EXPECT_THAT(result.err, HasSubstr("no Debian or Ubuntu system")) << command;
    EXPECT_THAT(result.err, HasSubstr("hint:")) << command;
  }
}

TEST(Program, ChangesNothingOnASystemItOnlyLooksAt) {
  const TemporaryFolder folder;
  folder.write("var/lib/dpkg/status", "");
  EXPECT_EQ(run_topsctl({"history", "--root", folder.path().string()}).status, 0);
  EXPECT_EQ(run_topsctl({"env", "--root", folder.path().string()}).status, 0);
  std::size_t entries = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    entries += entry.exists() ? 1 : 0;
  }
  EXPECT_EQ(entries, 4U) << "var, lib, dpkg, status";
}

TEST(Program, ColoursOnlyWhenAsked) {
  const TemporaryFolder folder;
  folder.write("bad.deb", "x");
  const std::string path = folder.path().string();
  EXPECT_EQ(run_topsctl({"inspect", path}).out.find('\x1b'), std::string::npos);
  EXPECT_NE(run_topsctl({"inspect", path, "--color", "always"}).out.find('\x1b'),
            std::string::npos);
}

}  // namespace
}  // namespace topsctl
