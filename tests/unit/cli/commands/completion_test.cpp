// Completion scripts: what a shell makes of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/command.hpp"
#include "support/programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/whole_program.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

std::string script_for(const std::string& shell) {
  const ProgramResult result = run_topsctl({"completion", shell});
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

// Those that a backslash takes out of quoting (zsh: '\\'', fish: \\') left out.
bool has_closed_quotes(const std::string& script) {
  std::size_t quotes = 0;
  for (std::size_t i = 0; i < script.size(); ++i) {
    if (script[i] == '\\') {
      ++i;
    } else if (script[i] == '\'') {
      ++quotes;
    }
  }
  return quotes % 2 == 0;
}

class BashCompletion : public testing::Test {
 protected:
  BashCompletion() { folder_.write("topsctl.bash", script_for("bash")); }

  // What bash offers for the last of these words.
  std::vector<std::string> offered(const std::string& words) {
    const std::string script =
        concat("cd ", folder_.path().string(), "\n. ./topsctl.bash\nCOMP_WORDS=(", words,
               ")\nCOMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))\n_topsctl\n"
               "printf '%s\\n' \"${COMPREPLY[@]}\"");
    return split(trimmed(output_of({"/bin/bash", "-eu", "-c", script})), '\n');
  }

  TemporaryFolder folder_;
};

TEST_F(BashCompletion, IsSoundBash) {
  EXPECT_EQ(output_of({"/bin/bash", "-n", (folder_ / "topsctl.bash").string()}), "");
}

TEST_F(BashCompletion, IsRegistered) {
  EXPECT_THAT(
      output_of({"/bin/bash", "-c",
                 concat(". ", (folder_ / "topsctl.bash").string(), "; complete -p topsctl")}),
      HasSubstr("-F _topsctl topsctl"));
}

TEST_F(BashCompletion, OffersTheValuesOfAnOption) {
  EXPECT_THAT(offered("topsctl verify --level ''"),
              ElementsAre("files", "load", "import", "device", "single", "ranks", "perf"));
  EXPECT_THAT(offered("topsctl verify --level de"), ElementsAre("device"));
  EXPECT_THAT(offered("topsctl verify --color ''"), ElementsAre("auto", "always", "never"));
}

TEST_F(BashCompletion, OffersEveryCommand) {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) {
    if (row.place != CommandPlace::hidden) names.emplace_back(row.name);
  }
  EXPECT_THAT(offered("topsctl ''"), IsSupersetOf(names));
  EXPECT_THAT(offered("topsctl ins"), ElementsAre("inspect", "install"));
}

TEST_F(BashCompletion, OffersTheOptionsOfTheCommandAndThoseForEveryCommand) {
  const auto options = offered("topsctl install --");
  EXPECT_THAT(options, IsSupersetOf({"--dry-run", "--stack", "--python", "--json", "--quiet"}));
  EXPECT_THAT(offered("topsctl history --"), Not(Contains("--dry-run")));
}

TEST_F(BashCompletion, KnowsThePartsOfACommand) {
  EXPECT_THAT(offered("topsctl history ''"), ElementsAre("show", "prune"));
  EXPECT_THAT(offered("topsctl history pr"), ElementsAre("prune"));
  EXPECT_THAT(offered("topsctl history prune --"),
              IsSupersetOf({"--keep", "--max-size", "--dry-run", "--root", "--json"}));
  EXPECT_THAT(offered("topsctl history show --"), Not(Contains("--keep")));
}

TEST_F(BashCompletion, FindsTheCommandBehindOptions) {
  EXPECT_THAT(offered("topsctl --json install --dry"), ElementsAre("--dry-run"));
}

TEST_F(BashCompletion, OffersFilesWhereNoOptionBegins) {
  folder_.write("bundle-of-mine/x", "");
  EXPECT_THAT(offered("topsctl install bundle"), ElementsAre("bundle-of-mine"));
}

TEST_F(BashCompletion, OffersShells) {
  EXPECT_THAT(offered("topsctl completion ''"), ElementsAre("bash", "zsh", "fish"));
}

TEST_F(BashCompletion, OffersTheCommandsThatHaveAPage) {
  EXPECT_THAT(offered("topsctl help ins"), ElementsAre("inspect", "install"));
}

TEST(ZshCompletion, NamesEveryCommandAndQuotesDescriptions) {
  const std::string script = script_for("zsh");
  EXPECT_TRUE(script.starts_with("#compdef topsctl\n"));
  for (const CommandRow& row : command_table()) {
    if (row.place == CommandPlace::hidden) continue;
    EXPECT_THAT(script, HasSubstr(concat("'", row.name, ":", row.summary, "'")));
  }
  EXPECT_TRUE(has_closed_quotes(script));
}

TEST(FishCompletion, NamesEveryCommandAndOption) {
  const std::string script = script_for("fish");
  for (const CommandRow& row : command_table()) {
    if (row.place == CommandPlace::hidden) continue;
    EXPECT_THAT(script, HasSubstr(concat("-a ", row.name, " -d '")));
  }
  EXPECT_THAT(script, HasSubstr("-n '__fish_seen_subcommand_from install' -l dry-run -d '"));
  EXPECT_THAT(script, HasSubstr("-n '__fish_seen_subcommand_from history; and "
                                "__fish_seen_subcommand_from prune' -l keep -d '"));
  EXPECT_THAT(script, HasSubstr("from history; and not __fish_seen_subcommand_from show prune' "
                                "-a prune -d '"));
  EXPECT_TRUE(has_closed_quotes(script));
}

TEST(Completion, OfAnUnknownShellIsRefused) {
  EXPECT_EQ(run_topsctl({"completion", "csh"}).status, 2);
  EXPECT_EQ(run_topsctl({"completion"}).status, 2);
}

TEST(Completion, AsJsonHoldsTheScript) {
  const ProgramResult result = run_topsctl({"completion", "bash", "--json"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("\"shell\": \"bash\""));
  EXPECT_THAT(result.out, HasSubstr("\"script\": \"# bash completion of topsctl"));
}

}  // namespace
}  // namespace topsctl
