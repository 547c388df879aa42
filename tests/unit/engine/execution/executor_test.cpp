// Carrying plans out under a journal: they commit, or everything is as before and proved so.
#include "topsctl/engine/execution/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <functional>
#include <optional>

#include "support/recording_sink.hpp"
#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using State = TransactionState;

RunResult ended(int status, const std::string& output = {}) {
  RunResult result;
  result.status = status;
  result.output = output;
  return result;
}

class Executing : public testing::Test {
 protected:
  Executing() {
    events_.add(&sink_);
    sample_.folder.write("etc/config", "as it was");
    sample_.folder.write("bundle/a.deb", "package bytes");
    PlannedPackage package;
    package.name = "tops-eccl";
    package.after = "2";
    package.architecture = "amd64";
    package.location = (sample_.folder / "bundle/a.deb").string();
    package.file = "a.deb";
    package.sha256 = sha256_of("package bytes");
    package.size = 13;
    plan_.command = "install";
    plan_.packages = {package};
    plan_.write_set.paths = {"/etc/config", "/etc/new", "/opt/tops/lib/x.so"};
    plan_.steps = {
        {"stage", "stage", StagePackages{}, {}},
        {"keep", "keep", KeepWriteSet{}, {}},
        {"debs", "dpkg", RunCommand{"dpkg", {"dpkg", "{stage}/a.deb"}, 60}, {"a service"}},
        {"file", "write", WriteFile{"/etc/new", "new\n", 0640}, {}},
        {"commit", "commit", Commit{}, {}}};
    sample_.runner.on_run = [this](const Command&) {
      sample_.folder.write("etc/config", "changed");
      sample_.folder.write("opt/tops/lib/x.so", "library");
      return ended(0);
    };
  }
  ~Executing() override { clear_interrupt(); }

  Execution execute() {
    return execute_plan(sample_.host, Stack{}, plan_, {"alice", "topsctl install"}, events_);
  }
  std::vector<State> states() const {
    std::vector<State> states;
    const Transaction latest = list_transactions(sample_.host).back();
    for (const JournalRecord& record : latest.records) {
      states.push_back(record.state);
    }
    return states;
  }
  TransactionSummary only_summary() const {
    return summary_of(list_transactions(sample_.host).back());
  }
  void expect_as_before() const {
    EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
    EXPECT_FALSE(fs::exists(sample_.folder / "etc/new"));
    EXPECT_FALSE(fs::exists(sample_.folder / "opt"));
  }
  bool exists(const std::string& name) const {
    return fs::exists(sample_.folder / ("var/lib/topsctl/transactions/1/" + name));
  }

  SampleHost sample_;
  RecordingSink sink_;
  EventFan events_;
  Plan plan_;
};

TEST_F(Executing, CommitsWhatWentWell) {
  const Execution execution = execute();
  EXPECT_EQ(execution.exit, ExitCode::done);
  EXPECT_FALSE(execution.error.has_value());
  EXPECT_EQ(execution.report.outcome, Outcome::committed);
  EXPECT_TRUE(execution.report.changed);
  EXPECT_EQ(execution.report.transaction, 1);
  EXPECT_EQ(execution.report.log, "/var/log/topsctl/1.log");
  EXPECT_EQ(execution.report.packages.at(0).purl, "pkg:deb/tops-eccl@2?arch=amd64");
  for (const StepResult& step : execution.report.steps) EXPECT_EQ(step.status, StepStatus::done);
  EXPECT_THAT(states(),
              ElementsAre(State::begun, State::prepared, State::applying, State::committed));
  EXPECT_EQ(sample_.folder.read("etc/new"), "new\n");
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed");
  EXPECT_TRUE(exists("snapshot/manifest"));
  EXPECT_FALSE(exists("packages"));
  EXPECT_FALSE(exists("tmp"));
}

TEST_F(Executing, RunsProgramsOnItsOwnCopiesInAPlainEnvironment) {
  execute();
  const Command& command = sample_.runner.commands.at(0);
  EXPECT_THAT(command.argv, ElementsAre("dpkg", "/var/lib/topsctl/transactions/1/packages/a.deb"));
  EXPECT_EQ(command.root, sample_.folder.path());
  EXPECT_EQ(command.timeout_ms, 60'000);
  EXPECT_EQ(command.environment.at("DPKG_FRONTEND_LOCKED"), "1");
  EXPECT_EQ(command.environment.at("DEBIAN_FRONTEND"), "noninteractive");
  EXPECT_EQ(command.environment.at("TMPDIR"), "/var/lib/topsctl/transactions/1/tmp");
}

TEST_F(Executing, AnnouncesTheChangeBeforeTheFirstOne) {
  std::vector<State> seen;
  sample_.runner.on_run = [&](const Command&) {
    seen = states();
    return ended(0);
  };
  execute();
  EXPECT_THAT(seen, ElementsAre(State::begun, State::prepared, State::applying));
}

TEST_F(Executing, TellsOfEachStep) {
  execute();
  EXPECT_THAT(sink_.lines, Contains("start 3/5 dpkg"));
  EXPECT_THAT(sink_.lines, Contains(StartsWith("done 5/5 commit")));
  EXPECT_THAT(sample_.folder.read("var/log/topsctl/1.log"), HasSubstr("step 5 of 5 done"));
}

TEST_F(Executing, TellsWhatChangedOutsideTheWriteSet) {
  const auto change = sample_.runner.on_run;
  for (const int status : {0, 1}) {
    sample_.runner.on_run = [&](const Command& command) {
      change(command);
      sample_.folder.write("srv/state", std::to_string(status));
      return ended(status);
    };
    const Execution execution = execute();
    EXPECT_THAT(execution.report.escaped_paths, Contains("/srv/state")) << status;
    EXPECT_THAT(execution.warnings, Contains(HasSubstr("outside the write set"))) << status;
  }
}

TEST_F(Executing, RollsAFailedStepBackAndProvesIt) {
  const auto change = sample_.runner.on_run;
  sample_.runner.on_run = [&](const Command& command) {
    change(command);
    return ended(1, "dpkg: error processing\n because\n");
  };
  const Execution execution = execute();
  EXPECT_EQ(execution.exit, ExitCode::rolled_back);
  EXPECT_EQ(execution.report.outcome, Outcome::rolled_back);
  EXPECT_TRUE(execution.report.failed);
  EXPECT_FALSE(execution.report.changed);
  ASSERT_TRUE(execution.error.has_value());
  EXPECT_EQ(execution.error->code(), ErrorCode::step_failed);
  EXPECT_THAT(execution.error->message(), StartsWith("dpkg failed: exit status 1\n"));
  EXPECT_THAT(execution.error->context(), ElementsAre("step 3 of 5: dpkg"));
  EXPECT_EQ(only_summary().reason,
            "step 3 of 5: dpkg: dpkg failed: exit status 1: dpkg: error processing because");
  ASSERT_FALSE(execution.report.packages.empty());
  EXPECT_EQ(execution.report.packages[0].after, execution.report.packages[0].before);
  ASSERT_TRUE(execution.report.rollback.has_value());
  EXPECT_THAT(execution.report.rollback->differing, IsEmpty());
  EXPECT_GT(execution.report.rollback->paths_checked, 5U);
  EXPECT_THAT(execution.report.not_restored, ElementsAre("a service"));
  EXPECT_EQ(execution.report.steps[2].status, StepStatus::failed);
  EXPECT_EQ(execution.report.steps[3].status, StepStatus::pending);
  EXPECT_THAT(states(), ElementsAre(State::begun, State::prepared, State::applying,
                                    State::restoring, State::restored));
  expect_as_before();
}

TEST_F(Executing, RollsBackWhateverIsThrown) {
  for (const bool known : {true, false}) {
    const auto change = sample_.runner.on_run;
    sample_.runner.on_run = [&, change](const Command& command) -> RunResult {
      change(command);
      if (known) throw Error(ErrorCode::host_unfit, "cannot start 'dpkg'");
      throw std::runtime_error("a surprise");
    };
    const Execution execution = execute();
    EXPECT_EQ(execution.exit, ExitCode::rolled_back);
    expect_as_before();
    sample_.runner.on_run = change;
  }
}

TEST_F(Executing, ChangesNothingWhenAPackageIsNotWhatWasPlanned) {
  sample_.folder.write("bundle/a.deb", "other bytes!!");
  const Execution execution = execute();
  EXPECT_EQ(execution.exit, ExitCode::bad_input);
  EXPECT_EQ(execution.report.outcome, Outcome::failed_before_change);
  EXPECT_THAT(execution.error->message(), HasSubstr("'a.deb' changed while it was read"));
  EXPECT_THAT(only_summary().reason, HasSubstr("'a.deb' changed while it was read"));
  EXPECT_FALSE(execution.report.rollback.has_value());
  EXPECT_THAT(sample_.runner.commands, IsEmpty());
  EXPECT_THAT(states(), ElementsAre(State::begun, State::restored));
  EXPECT_FALSE(exists("packages"));
  expect_as_before();
}

TEST_F(Executing, SaysWhenTheRollbackIsIncomplete) {
  sample_.runner.on_run = [&](const Command&) {
    put_in_the_way(sample_.folder, "etc/config");
    return ended(1);
  };
  const Execution execution = execute();
  EXPECT_EQ(execution.exit, ExitCode::rollback_incomplete);
  EXPECT_EQ(execution.report.outcome, Outcome::rollback_incomplete);
  EXPECT_THAT(execution.report.rollback->differing, Contains("/etc/config"));
  EXPECT_TRUE(execution.report.changed);
  EXPECT_TRUE(exists("snapshot/manifest")) << "the kept copies stay";
}

// As many more files may be opened as it is told.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(0);
    ::close(next);
    const rlimit few = {static_cast<rlim_t>(next) + more, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(Executing, SaysThatTheRestoreGoesOnWhenThereAreDescriptors) {
  std::optional<FewDescriptors> few;
  const auto change = sample_.runner.on_run;
  sample_.runner.on_run = [&](const Command& command) {
    change(command);
    few.emplace(0);
    return ended(1);
  };
  const Execution execution = execute();
  few.reset();
  EXPECT_EQ(execution.exit, ExitCode::unfinished);
  EXPECT_EQ(execution.report.outcome, Outcome::unfinished);
  EXPECT_THAT(execution.report.message,
              HasSubstr("is unfinished: free some space, and run `topsctl recover`"));
  const Transaction transaction = list_transactions(sample_.host).back();
  ASSERT_TRUE(transaction.is_unfinished());
  EXPECT_TRUE(roll_back_transaction(sample_.host, transaction, events_).complete());
  expect_as_before();
}

TEST_F(Executing, RestoresWithFewDescriptors) {
  std::optional<FewDescriptors> few;
  const auto change = sample_.runner.on_run;
  sample_.runner.on_run = [&](const Command& command) {
    change(command);
    few.emplace(8);
    return ended(1);
  };
  const Execution execution = execute();
  few.reset();
  EXPECT_EQ(execution.exit, ExitCode::rolled_back) << execution.report.message;
  expect_as_before();
}

TEST_F(Executing, ReservesRoomForTheRestoreAsLongAsItMayBeNeeded) {
  const auto change = sample_.runner.on_run;
  std::uintmax_t reserved = 0;
  sample_.runner.on_run = [&](const Command& command) {
    change(command);
    struct stat status {};
    const fs::path file = sample_.folder / "var/lib/topsctl/transactions/1/reserved/bytes";
    if (::stat(file.c_str(), &status) == 0)
      reserved = static_cast<std::uintmax_t>(status.st_blocks) * 512;
    return ended(0);
  };
  EXPECT_EQ(execute().report.outcome, Outcome::committed);
  EXPECT_GE(reserved, 512U << 10U);
  EXPECT_FALSE(exists("reserved"));
}

TEST_F(Executing, EndsWithTheSignalAfterTheRollback) {
  watch_signals();
  const auto change = sample_.runner.on_run;
  sample_.runner.on_run = [&](const Command& command) {
    change(command);
    ::raise(SIGINT);
    return ended(0);
  };
  const Execution execution = execute();
  EXPECT_EQ(execution.exit, ExitCode::interrupted);
  EXPECT_EQ(execution.report.outcome, Outcome::rolled_back);
  EXPECT_FALSE(is_interrupted());
  expect_as_before();
}

TEST_F(Executing, ChangesNothingWhenTheSignalCameBefore) {
  watch_signals();
  ::raise(SIGTERM);
  const Execution execution = execute();
  EXPECT_EQ(execution.exit, ExitCode::terminated);
  EXPECT_EQ(execution.report.outcome, Outcome::failed_before_change);
  expect_as_before();
}

TEST_F(Executing, CannotUndoWithoutItsKeptCopies) {
  sample_.runner.on_run = [&](const Command&) {
    sample_.folder.write("etc/config", "changed");
    fs::remove_all(sample_.folder / "var/lib/topsctl/transactions/1/snapshot");
    return ended(1);
  };
  const Execution execution = execute();
  EXPECT_EQ(execution.exit, ExitCode::rollback_incomplete);
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed");
}

}  // namespace
}  // namespace topsctl
