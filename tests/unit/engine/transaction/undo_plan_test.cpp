// Undoing a committed transaction on a machine that others have changed since.
#include "topsctl/engine/transaction/undo_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "support/recording_sink.hpp"
#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/execution/executor.hpp"
#include "topsctl/engine/execution/transaction_rollback.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/operations/rollback.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/execution.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* status_file = "var/lib/dpkg/status";

std::string status_stanza(const std::string& name, const std::string& version) {
  return "Package: " + name +
         "\nStatus: install ok installed\nArchitecture: amd64\nVersion: " + version + "\n\n";
}

class Undoing : public testing::Test {
 protected:
  Undoing() {
    events_.add(&sink_);
    sample_.folder.write(status_file, status_stanza("base", "1"));
    sample_.folder.write("var/lib/dpkg/lock-frontend", "");
    sample_.folder.write("var/lib/dpkg/diversions", "");
    sample_.folder.write("etc/config", "as it was");
    fs::create_directories(sample_.folder / "var/lib/dpkg/updates");
  }

  void commit(const std::function<void()>& change) {
    Plan plan;
    plan.command = "install";
    plan.write_set.paths = {"/etc/config", "/opt/tops/lib/x.so", "/etc/ld.so.cache"};
    plan.write_set.replaced = plan.write_set.packed = {"/opt/tops/lib/x.so"};
    plan.write_set.unpacked = {"/etc/config", "/opt/tops/lib/x.so"};
    plan.write_set.families = {{"/var/lib/dpkg", ""}, {"/var/lib/dpkg/updates", ""}};
    plan.steps = {{"keep", "keep", KeepWriteSet{}, {}},
                  {"debs", "dpkg", RunCommand{"dpkg", {"dpkg"}, 60}, {}},
                  {"commit", "commit", Commit{}, {}}};
    sample_.runner.on_run = [&](const Command&) {
      change();
      RunResult result;
      result.status = 0;
      return result;
    };
    const Execution execution =
        execute_plan(sample_.host, Stack{}, plan, {"alice", "topsctl install"}, events_);
    ASSERT_EQ(execution.report.outcome, Outcome::committed) << execution.report.message;
    sample_.runner.on_run = nullptr;
  }
  void commit_stack(const std::string& version, const std::string& before = {}) {
    commit([&] {
      sample_.folder.write("etc/config", version);
      sample_.folder.write("opt/tops/lib/x.so.dpkg-new", "library " + version);
      fs::rename(sample_.folder / "opt/tops/lib/x.so.dpkg-new",
                 sample_.folder / "opt/tops/lib/x.so");
      std::string text = sample_.folder.read(status_file);
      if (const auto at = text.find(status_stanza("sdk", before)); at != std::string::npos)
        text.erase(at, status_stanza("sdk", before).size());
      sample_.folder.write(status_file, text + status_stanza("sdk", version));
    });
  }
  Execution roll_back_to(std::optional<std::int64_t> id = {}, bool force = false,
                         bool dry_run = false) {
    return roll_back(sample_.host, {id, dry_run, force, 0}, events_);
  }

  SampleHost sample_;
  RecordingSink sink_;
  EventFan events_;
};

TEST_F(Undoing, LeavesOtherPackagesInDpkgsStatus) {
  commit_stack("2.5");
  sample_.folder.write(status_file, sample_.folder.read(status_file) + status_stanza("later", "1"));
  const Execution execution = roll_back_to();
  EXPECT_EQ(execution.exit, ExitCode::done);
  EXPECT_THAT(execution.report.rollback->differing, IsEmpty());
  EXPECT_EQ(sample_.folder.read(status_file),
            status_stanza("base", "1") + status_stanza("later", "1"));
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
  EXPECT_FALSE(fs::exists(sample_.folder / "opt"));
  EXPECT_THAT(execution.warnings, Contains(HasSubstr("/var/lib/dpkg/status")));
}

TEST_F(Undoing, LeavesTheFilesOfOtherPackagesBesideItsOwn) {
  commit_stack("2.5");
  sample_.folder.write("var/lib/dpkg/later.list", "/opt/later");
  sample_.folder.write("var/lib/dpkg/diversions", "/bin/y\n/bin/y.real\n:\n");
  EXPECT_EQ(roll_back_to().exit, ExitCode::done);
  EXPECT_EQ(sample_.folder.read("var/lib/dpkg/later.list"), "/opt/later");
  EXPECT_EQ(sample_.folder.read("var/lib/dpkg/diversions"), "/bin/y\n/bin/y.real\n:\n");
}

TEST_F(Undoing, TakesAwayWhatDpkgLeftBesideAConfigurationFileAndLeavesWhatOthersPutThere) {
  commit([&] {
    sample_.folder.write("etc/config", "new");
    sample_.folder.write("etc/config.dpkg-dist", "left by dpkg");
  });
  sample_.folder.write("etc/config.dpkg-old", "put there since");
  EXPECT_EQ(roll_back_to().exit, ExitCode::done);
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
  EXPECT_FALSE(fs::exists(sample_.folder / "etc/config.dpkg-dist"));
  EXPECT_EQ(sample_.folder.read("etc/config.dpkg-old"), "put there since");
}

TEST_F(Undoing, IsRefusedWhenAPackageOfItsOwnWasChangedSince) {
  commit_stack("2.5");
  sample_.folder.write(status_file, status_stanza("base", "1") + status_stanza("sdk", "2.6"));
  const Error error = thrown_by([&] { roll_back_to(); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("package sdk:amd64"));
  EXPECT_THAT(error.hint(), HasSubstr("--force"));
  EXPECT_EQ(sample_.folder.read("etc/config"), "2.5");
  EXPECT_EQ(roll_back_to({}, true).exit, ExitCode::done);
  EXPECT_EQ(sample_.folder.read(status_file), status_stanza("base", "1"));
}

TEST_F(Undoing, PutsADatabaseBackByForceThatIsNoFileAnyMore) {
  sample_.folder.write("var/lib/dpkg/statoverride", "root root 0640 /etc/before\n");
  commit([&] { sample_.folder.write("var/lib/dpkg/statoverride", "root root 0640 /etc/after\n"); });
  fs::remove(sample_.folder / "var/lib/dpkg/statoverride");
  fs::create_directory(sample_.folder / "var/lib/dpkg/statoverride");
  EXPECT_THAT(thrown_by([&] { roll_back_to(); }).message(),
              HasSubstr("/var/lib/dpkg/statoverride"));
  EXPECT_EQ(roll_back_to({}, true).exit, ExitCode::done);
  EXPECT_EQ(sample_.folder.read("var/lib/dpkg/statoverride"), "root root 0640 /etc/before\n");
}

TEST_F(Undoing, IsRefusedWhenAFileOfItsOwnWasChangedSince) {
  commit_stack("2.5");
  sample_.folder.write("etc/config", "edited");
  EXPECT_THAT(thrown_by([&] { roll_back_to(); }).message(), HasSubstr("/etc/config"));
  EXPECT_EQ(roll_back_to({}, true).exit, ExitCode::done);
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
}

TEST_F(Undoing, IsRefusedWhenAFileThatWasNotReadWasChangedSince) {
  commit_stack("2.4");
  commit_stack("2.5", "2.4");
  sample_.folder.write("opt/tops/lib/x.so", "library 2.6");
  EXPECT_THAT(thrown_by([&] { roll_back_to(); }).message(), HasSubstr("/opt/tops/lib/x.so"));
  EXPECT_EQ(roll_back_to({}, true).exit, ExitCode::done);
  EXPECT_EQ(sample_.folder.read("opt/tops/lib/x.so"), "library 2.4");
}

TEST_F(Undoing, ReadsNoFileThatPackagesReplaceAsAWhole) {
  commit_stack("2.4");
  commit_stack("2.5", "2.4");
  const fs::path folder = sample_.host.resolve(list_transactions(sample_.host).back().folder);
  for (const char* record : {snapshot_folder, after_folder}) {
    const std::vector<KeptPath> paths = load_snapshot(folder / record).paths;
    const auto digest = [&](const std::string& path) {
      return std::find_if(paths.begin(), paths.end(),
                          [&](const KeptPath& kept) { return kept.path == path; })
          ->state.sha256;
    };
    EXPECT_EQ(digest("/opt/tops/lib/x.so"), "") << record;
    EXPECT_NE(digest("/etc/config"), "") << record;
  }
}

TEST_F(Undoing, IsRefusedWhenSomebodyPutAFileIntoAFolderThatGoes) {
  commit_stack("2.5");
  sample_.folder.write("opt/tops/mine", "precious");
  EXPECT_THAT(thrown_by([&] { roll_back_to(); }).message(), HasSubstr("/opt/tops/mine"));
  EXPECT_EQ(sample_.folder.read("opt/tops/mine"), "precious");
}

TEST_F(Undoing, HasTheLoaderCacheRebuiltThatOthersHaveChangedSince) {
  commit([&] { sample_.folder.write("etc/ld.so.cache", "ours"); });
  sample_.folder.write("etc/ld.so.cache", "theirs");
  sample_.runner.commands.clear();
  EXPECT_EQ(roll_back_to().exit, ExitCode::done);
  ASSERT_EQ(sample_.runner.commands.size(), 1U);
  EXPECT_THAT(sample_.runner.commands[0].argv, ElementsAre("ldconfig"));
  EXPECT_EQ(sample_.folder.read("etc/ld.so.cache"), "theirs") << "ldconfig's own affair";
}

TEST_F(Undoing, GoesBackOverSeveralTransactions) {
  commit_stack("2.4");
  commit_stack("2.5", "2.4");
  sample_.folder.write(status_file, sample_.folder.read(status_file) + status_stanza("later", "1"));
  const Execution planned = roll_back_to(1, false, true);
  EXPECT_EQ(planned.report.plan->steps.size(), 2U);
  EXPECT_EQ(sample_.folder.read("etc/config"), "2.5");
  const Execution execution = roll_back_to(1);
  EXPECT_EQ(execution.exit, ExitCode::done);
  EXPECT_EQ(execution.report.transaction, 1);
  EXPECT_EQ(execution.report.steps.size(), 2U);
  EXPECT_EQ(sample_.folder.read(status_file),
            status_stanza("base", "1") + status_stanza("later", "1"));
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
  EXPECT_FALSE(fs::exists(sample_.folder / "opt"));
}

TEST_F(Undoing, OfSeveralIsRefusedBeforeTheFirst) {
  commit_stack("2.4");
  sample_.folder.write("opt/tops/mine", "precious");
  commit_stack("2.5", "2.4");
  EXPECT_THAT(thrown_by([&] { roll_back_to(1); }).message(), HasSubstr("/opt/tops/mine"));
  EXPECT_EQ(sample_.folder.read("etc/config"), "2.5");
  EXPECT_EQ(roll_back_to(2).exit, ExitCode::done);
  EXPECT_EQ(sample_.folder.read("etc/config"), "2.4");
}

TEST_F(Undoing, IsRefusedWhileDpkgHasUnfinishedWork) {
  commit_stack("2.5");
  sample_.folder.write("var/lib/dpkg/updates/0001", status_stanza("sdk", "2.5"));
  EXPECT_THAT(thrown_by([&] { roll_back_to(); }).hint(), HasSubstr("dpkg --configure -a"));
}

// The record that announces an undo was lost after some of it was done.
TEST_F(Undoing, GoesOnThoughItsRecordWasLost) {
  commit_stack("2.5");
  const Transaction transaction = list_transactions(sample_.host).back();
  write_undo(sample_.host, undo_of(ProjectedState(sample_.host), transaction), transaction);
  EXPECT_FALSE(is_undo_cut_off(sample_.host, transaction)) << "nothing is done yet";
  EXPECT_FALSE(recover_unfinished(sample_.host, events_).last.has_value());
  fs::remove_all(sample_.folder / "opt");
  EXPECT_TRUE(is_undo_cut_off(sample_.host, transaction));
  EXPECT_EQ(recover_unfinished(sample_.host, events_).last->exit, ExitCode::done);
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
  EXPECT_EQ(list_transactions(sample_.host).back().state(), TransactionState::restored);
}

TEST_F(Undoing, IsRefusedBeforeItBeginsWhereAKeptCopyIsDamaged) {
  commit_stack("2.5");
  const Transaction transaction = list_transactions(sample_.host).back();
  const fs::path store = sample_.host.resolve(transaction.folder) / snapshot_folder;
  for (const KeptPath& kept : load_snapshot(store).paths) {
    if (kept.path == "/etc/config") fs::remove(content_place(kept, store));
  }
  const Execution execution = roll_back_to();
  EXPECT_EQ(execution.exit, ExitCode::rollback_incomplete);
  EXPECT_EQ(execution.report.outcome, Outcome::failed_before_change);
  EXPECT_THAT(execution.error->message(), HasSubstr("/etc/config is missing or damaged"));
  EXPECT_EQ(sample_.folder.read("etc/config"), "2.5");
  EXPECT_EQ(list_transactions(sample_.host).back().state(), TransactionState::committed);
  // What others put back since is no undo of ours.
  fs::remove_all(sample_.folder / "opt");
  EXPECT_FALSE(is_undo_cut_off(sample_.host, transaction));
}

TEST_F(Undoing, MergesNoDatabaseThatIsDamaged) {
  commit_stack("2.5");
  sample_.folder.write(status_file, sample_.folder.read(status_file) + status_stanza("later", "1"));
  const fs::path store =
      sample_.host.resolve(list_transactions(sample_.host).back().folder) / after_folder;
  for (const KeptPath& kept : load_snapshot(store).paths) {
    if (kept.path == std::string("/") + status_file)
      std::ofstream(content_place(kept, store), std::ios::in) << "X";
  }
  const Error error = thrown_by([&] { roll_back_to(); });
  EXPECT_EQ(error.code(), ErrorCode::journal_damaged);
  EXPECT_THAT(error.message(), HasSubstr("/var/lib/dpkg/status"));
}

TEST_F(Undoing, FromTheStoreSparesWhatOthersInstalledSince) {
  commit_stack("2.5");
  sample_.folder.write(status_file, sample_.folder.read(status_file) + status_stanza("later", "1"));
  const Transaction transaction = list_transactions(sample_.host).back();
  fs::remove(sample_.host.resolve(transaction.folder) / "journal");
  const Execution execution = recover(sample_.host, Persistence::from_store, 0, events_);
  EXPECT_EQ(execution.exit, ExitCode::done) << execution.report.message;
  EXPECT_EQ(sample_.folder.read(status_file),
            status_stanza("base", "1") + status_stanza("later", "1"));
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
}

TEST_F(Undoing, GoesOnAsItBeganWhenItWasCutOff) {
  commit_stack("2.5");
  sample_.folder.write(status_file, sample_.folder.read(status_file) + status_stanza("later", "1"));
  Transaction transaction = list_transactions(sample_.host).back();
  ProjectedState view(sample_.host);
  const UndoPlan undo = undo_of(view, transaction);
  write_undo(sample_.host, undo, transaction);
  Journal(sample_.host.resolve(transaction.folder) / "journal")
      .append(TransactionState::restoring, {{"undo", true}, {"loader_cache", false}});
  transaction = list_transactions(sample_.host).back();
  const RollbackResult restoration = roll_back_transaction(sample_.host, transaction, events_);
  EXPECT_TRUE(restoration.complete());
  EXPECT_EQ(sample_.folder.read(status_file),
            status_stanza("base", "1") + status_stanza("later", "1"));
}

}  // namespace
}  // namespace topsctl
