// The program as a whole: what the command line may be, and what comes back.
#include "topsctl/cli/app.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/page_text.hpp"
#include "support/temporary_folder.hpp"
#include "support/whole_program.hpp"
#include "topsctl/base/embedded.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/base/version.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
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

std::string page_in_a_pipe(const std::string& command) {
  Style style;
  style.columns = 80;
  return rendered_page(embedded_file("commands/" + command + ".md").value_or(""), style);
}

TEST(Program, PrintsTheWholePageOfEveryCommand) {
  for (const CommandRow& row : command_table()) {
    const ProgramResult result = run_topsctl({row.name, "--help"});
    EXPECT_EQ(result.status, 0) << row.name;
    EXPECT_EQ(result.out, page_in_a_pipe(row.name)) << row.name;
  }
  EXPECT_EQ(run_topsctl({"--help"}).out, page_in_a_pipe("topsctl"));
}

TEST(Program, NamesTheCommandThatWasProbablyMeant) {
  const ProgramResult result = run_topsctl({"instal"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err,
              StartsWith("error: unknown command 'instal' (did you mean 'install'?)\nhint:"));
}

TEST(Program, KnowsWhatOtherToolsCallACommand) {
  for (const auto& [word, command] : std::map<std::string, std::string>{{"uninstall", "rollback"},
                                                                        {"remove", "rollback"},
                                                                        {"undo", "rollback"},
                                                                        {"list", "history"},
                                                                        {"log", "history"},
                                                                        {"state", "status"}}) {
    const ProgramResult result = run_topsctl({word});
    EXPECT_EQ(result.status, 2);
    EXPECT_THAT(result.err, StartsWith(concat("error: unknown command '", word,
                                              "'\nhint:  use `topsctl ", command, "`")));
  }
}

// It may be typed in haste.
TEST(Program, SuggestsNothingThatChangesMoreForAnotherWord) {
  for (const char* word : {"reinstall", "unstall", "redeploy", "precover", "xinstall"})
    EXPECT_THAT(run_topsctl({word}).err, Not(HasSubstr("did you mean"))) << word;
  EXPECT_THAT(run_topsctl({"isntall"}).err, HasSubstr("did you mean 'install'"));
  EXPECT_THAT(run_topsctl({"hsitory"}).err, HasSubstr("did you mean 'history'"));
}

TEST(Program, PrintsPagesByHelp) {
  EXPECT_EQ(run_topsctl({"help"}).out, run_topsctl({"--help"}).out);
  EXPECT_EQ(run_topsctl({"help", "install"}).out, run_topsctl({"install", "--help"}).out);
  EXPECT_EQ(run_topsctl({"--color", "never", "--lang", "en", "help", "install"}).out,
            run_topsctl({"install", "--help"}).out);
  const ProgramResult unknown = run_topsctl({"help", "uninstall"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("use `topsctl rollback`"));
}

TEST(Program, NamesTheOptionThatWasProbablyMeant) {
  const ProgramResult result = run_topsctl({"history", "--rot", "/"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("unknown option '--rot' (did you mean '--root'?)"));
}

struct WrongLine {
  std::vector<std::string> words;
  std::string message;
  std::string page;  // of which the hint tells
};

const std::vector<WrongLine>& wrong_lines() {
  const std::string nowhere = "/no/such/system";  // so that none that is accepted changes anything
  static const std::vector<WrongLine> lines = {
      {{"--frob"}, "unknown option '--frob'", "topsctl"},
      {{"--color"}, "--color: 1 required TEXT missing", "topsctl"},
      {{"version", "--color", "pink"},
       "--color: expected one of auto, always, never; got 'pink'",
       "topsctl version"},
      {{"version", "x"}, "unknown argument 'x'", "topsctl version"},
      {{"install"}, "bundle is required", "topsctl install"},
      {{"install", "x", "--dry-rn"},
       "unknown option '--dry-rn' (did you mean '--dry-run'?)",
       "topsctl install"},
      {{"install", "x", "-nz"}, "unknown option '-z'", "topsctl install"},
      {{"install", "x", "--stack"}, "--stack: 1 required STACK missing", "topsctl install"},
      {{"install", "x", "--stack", "a", "--stack", "b"},
       "--stack is given more than once",
       "topsctl install"},
      {{"install", "x", "--lock-timeout", "0x10"},
       "--lock-timeout: expected an integer from 0 to 86400; got '0x10'",
       "topsctl install"},
      {{"install", "x", "--dry-run=maybe"},
       "could not convert: --dry-run = maybe",
       "topsctl install"},
      {{"install", "x", "--write-set", "observd"},
       "--write-set: expected one of auto, observed, predicted; got 'observd' (did you mean "
       "'observed'?)",
       "topsctl install"},
      {{"install", "x", "--wheel-backend", "native"},
       "--wheel-backend: topsctl installs wheels itself, without pip: omit it",
       "topsctl install"},
      {{"install", "x", "--accept", "nope"},
       "--accept: unknown finding id: 'nope'",
       "topsctl install"},
      {{"inspect", "x", "--deep", "--fast"}, "--fast excludes --deep", "topsctl inspect"},
      {{"inspect", "x", "--sbom", "cyclonedx", "--diff", "y"},
       "--diff excludes --sbom",
       "topsctl inspect"},
      {{"snapshot", "--root", nowhere, "--python", "a", "b"},
       "unknown argument 'b'",
       "topsctl snapshot"},
      {{"rollback", "--root", nowhere, "1", "2"}, "unknown argument '2'", "topsctl rollback"},
      {{"rollback", "--root", nowhere, "--jobs", "257"},
       "--jobs: expected an integer from 1 to 256; got '257'",
       "topsctl rollback"},
      {{"recover", "--root", nowhere, "--max-failures", "-2"},
       "--max-failures: expected an integer from 0 to 100000; got '-2'",
       "topsctl recover"},
      {{"history", "frob"}, "unknown argument 'frob'", "topsctl history"},
      {{"history", "show"}, "id is required", "topsctl history"},
      {{"history", "prune", "--root", nowhere, "show"},
       "unknown argument 'show'",
       "topsctl history"},
      {{"history", "prune", "--root", nowhere, "--max-size", "2x"},
       "--max-size: expected a size such as 500M or 2G; got '2x'",
       "topsctl history"},
      {{"history", "--keep", "1"},
       "unknown option '--keep' (did you mean '--help'?)",
       "topsctl history"},
      {{"env", "frob"}, "unknown argument 'frob'", "topsctl env"},
      {{"env", "check", "--pid", "0"},
       "--pid: expected an integer from 1 to 4194304; got '0'",
       "topsctl env"},
      {{"env", "--", "true"}, "unknown argument 'true'", "topsctl env"},
      {{"transfer", "x", "a", "--limit-rate", "fast"},
       "--limit-rate: expected a size such as 500M or 2G; got 'fast'",
       "topsctl transfer"},
      {{"deploy", "x", "a", "--forget-setings"},
       "unknown option '--forget-setings' (did you mean '--forget-settings'?)",
       "topsctl deploy"},
      {{"completion", "bsh"},
       "shell: expected one of bash, zsh, fish; got 'bsh' (did you mean 'bash'?)",
       "topsctl completion"},
  };
  return lines;
}

TEST(Program, SaysWhatIsWrongWithACommandLineAndWhereToLook) {
  for (const WrongLine& line : wrong_lines()) {
    const ProgramResult result = run_topsctl(line.words);
    const std::string words = joined(line.words, " ");
    EXPECT_EQ(result.status, 2) << words;
    EXPECT_THAT(result.out, IsEmpty()) << words;
    EXPECT_EQ(result.err,
              concat("error: ", line.message, "\nhint:  `", line.page, " -h` shows the usage\n"))
        << words;
  }
}

TEST(Program, RefusesOptionsThatDoNotGoWithAPartOfACommand) {
  EXPECT_THAT(run_topsctl({"env", "check", "--format", "sh"}).err,
              StartsWith("error: --format cannot be used with `env check`\n"));
  EXPECT_THAT(run_topsctl({"env", "--root", "/x", "exec", "--", "true"}).err,
              StartsWith("error: --root cannot be used with `env exec`\n"));
  EXPECT_THAT(run_topsctl({"snapshot", "--json", "-o", "-"}).out,
              HasSubstr("--json and --output - both write to standard output"));
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
  EXPECT_EQ(json["verdict"], nullptr);
  EXPECT_EQ(Json::parse(run_topsctl({"watch", "--json", "no-such-run"}).out)["verdict"], nullptr);
  EXPECT_THAT(result.err, IsEmpty());
}

TEST(Program, AnswersInJsonForEveryCommandThatFails) {
  for (const CommandRow& row : command_table()) {
    if (row.place == CommandPlace::hidden) continue;
    const ProgramResult result = run_topsctl({row.name, "--json", "--no-such-option"});
    EXPECT_EQ(result.status, 2) << row.name;
    const Json json = Json::parse(result.out, nullptr, false);
    ASSERT_TRUE(json.is_object()) << row.name << ": " << result.out << result.err;
    EXPECT_EQ(json["error"]["code"], "usage") << row.name;
  }
}

TEST(Program, RefusesARootThatIsNoSystem) {
  const TemporaryFolder folder;
  for (const char* command : {"history", "env"}) {
    const ProgramResult result = run_topsctl({command, "--root", folder.path().string()});
    EXPECT_EQ(result.status, 4) << command;
    EXPECT_THAT(result.err, HasSubstr("is not a Debian or Ubuntu system: it has no")) << command;
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
