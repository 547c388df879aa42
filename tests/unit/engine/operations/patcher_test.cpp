// Patches of projects as transactions.
#include "topsctl/engine/operations/patcher.hpp"
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/operations/retention.hpp"
#include "topsctl/engine/operations/rollback.hpp"
#include "topsctl/engine/transaction/snapshot.hpp"
#include "topsctl/engine/transaction/soundness.hpp"
#include "topsctl/host/filesystem/file_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = TransactionState;

// A project in a root, which is "/" for the user who patches it.
class Patches : public testing::Test {
 protected:
  Patches() {
    sample_.folder.write("home/u/train/a.py", "import torch\n");
    sample_.folder.write("home/u/train/conf/b.yaml", "backend: nccl\n");
    ::chmod((top() / "a.py").c_str(), 0754);
    request_.project = top();
    request_.requester.user = "u";
    reading_.changes = {{"a.py", "import torch\n", "import torch_gcu\n"},
                        {"conf/b.yaml", "backend: nccl\n", "backend: eccl\n"}};
    sample_.host.root = "/";
    sample_.host.state = (sample_.folder / "state").string();
    sample_.host.logs = (sample_.folder / "state/log").string();
  }
  fs::path top() const { return sample_.folder / "home/u/train"; }
  Execution apply() { return apply_patch(sample_.host, request_, reading_, events_).execution; }
  Execution undo(std::optional<std::int64_t> id, bool force = false) {
    RollbackRequest request;
    request.id = id;
    request.force = force;
    return roll_back(sample_.host, request, events_);
  }
  // As a crash leaves a journal: the record of the commit was not written.
  void cut_off_before_commit(std::int64_t id) {
    const fs::path journal = sample_.folder / concat_id(id) / "journal";
    std::vector<JournalRecord> records = read_journal(journal);
    ASSERT_EQ(records.back().state, State::committed);
    records.pop_back();
    rewrite_journal(journal, records);
    fs::remove_all(sample_.folder / concat_id(id) / "after");
  }
  std::string concat_id(std::int64_t id) const {
    return "state/transactions/" + std::to_string(id);
  }
  Transaction add_install(State last) {
    Transaction transaction = new_transaction(sample_.host);
    const fs::path folder = sample_.host.resolve(transaction.folder);
    Journal journal(folder / "journal");
    journal.append(State::begun, {{"transaction", transaction.id}});
    journal.append(last, Json::object());
    for (const char* store : {"snapshot", "after"}) {
      fs::create_directory(folder / store);
      write_snapshot_record({}, folder / store);
    }
    return transaction;
  }
  std::string text_of(const char* file) const { return TemporaryFolder::read_bytes(top() / file); }

  SampleHost sample_;
  EventFan events_;
  PatchRequest request_;
  ProjectReading reading_;
};

TEST_F(Patches, ChangeContentsAndNothingElse) {
  const FileState before = file_state((top() / "a.py").string(), Content::ignore);
  const Execution applied = apply();
  EXPECT_EQ(applied.report.outcome, Outcome::committed) << applied.report.message;
  EXPECT_EQ(text_of("a.py"), "import torch_gcu\n");
  EXPECT_EQ(text_of("conf/b.yaml"), "backend: eccl\n");
  const FileState after = file_state((top() / "a.py").string(), Content::ignore);
  EXPECT_EQ(after.mode, before.mode);
  EXPECT_EQ(after.uid, before.uid);
  EXPECT_EQ(after.gid, before.gid);
  EXPECT_GE(after.mtime_ns, before.mtime_ns);
}

TEST_F(Patches, AreListedAsSuch) {
  apply();
  const TransactionSummary summary = summary_of(list_transactions(sample_.host).front());
  EXPECT_EQ(summary.kind, TransactionKind::patch);
  EXPECT_EQ(summary.project, top().string());
  EXPECT_THAT(summary.patched,
              ElementsAre((top() / "a.py").string(), (top() / "conf/b.yaml").string()));
  EXPECT_TRUE(summary.can_be_undone);
}

TEST_F(Patches, AreUndoneToTheTimesOfTheirFolders) {
  const FileState file = file_state((top() / "a.py").string(), Content::digest);
  const FileState folder = file_state((top() / "conf").string(), Content::ignore);
  const Execution applied = apply();
  const Execution undone = undo(applied.report.transaction);
  EXPECT_EQ(undone.report.outcome, Outcome::rolled_back);
  EXPECT_EQ(undone.report.message, "the project is as it was before transaction 1");
  EXPECT_EQ(file_state((top() / "a.py").string(), Content::digest), file);
  EXPECT_EQ(file_state((top() / "conf").string(), Content::ignore), folder);
}

TEST_F(Patches, LeaveOutWhatHasChangedOrHasSeveralNames) {
  sample_.folder.write("home/u/train/a.py", "import torch as t\n");
  fs::create_hard_link(top() / "conf/b.yaml", top() / "second.yaml");
  const Execution applied = apply();
  EXPECT_EQ(applied.report.outcome, Outcome::no_change);
  EXPECT_FALSE(applied.report.transaction);
  EXPECT_THAT(applied.warnings, ElementsAre(HasSubstr("has changed since it was read"),
                                            HasSubstr("multiple hard links")));
  EXPECT_EQ(text_of("a.py"), "import torch as t\n");
  EXPECT_EQ(text_of("conf/b.yaml"), "backend: nccl\n");
}

TEST_F(Patches, AreNotUndoneOverLaterEdits) {
  apply();
  sample_.folder.write("home/u/train/a.py", "import torch_gcu  # mine\n");
  const Error error = thrown_by([&] { undo(1); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("a.py"));
  EXPECT_EQ(text_of("conf/b.yaml"), "backend: eccl\n");
  EXPECT_EQ(undo(1, true).report.outcome, Outcome::rolled_back);
  EXPECT_EQ(text_of("a.py"), "import torch\n");
}

TEST_F(Patches, OfWhichOneWasCutOffAreRestoredByTheNext) {
  apply();
  cut_off_before_commit(1);
  reading_.changes.resize(1);
  const Execution applied = apply();
  EXPECT_EQ(applied.report.outcome, Outcome::committed) << applied.report.message;
  EXPECT_EQ(applied.report.transaction, 2);
  EXPECT_EQ(text_of("conf/b.yaml"), "backend: nccl\n");
}

TEST_F(Patches, ThatWereCutOffSpareWhatWasEditedSince) {
  apply();
  cut_off_before_commit(1);
  sample_.folder.write("home/u/train/a.py", "import torch_gcu  # mine\n");
  const Error error = thrown_by([&] { recover(sample_.host, Persistence::retry, 0, events_); });
  EXPECT_THAT(error.message(), HasSubstr("a.py"));
  EXPECT_EQ(text_of("a.py"), "import torch_gcu  # mine\n");
  EXPECT_EQ(recover(sample_.host, Persistence::force, 0, events_).report.outcome,
            Outcome::rolled_back);
  EXPECT_EQ(text_of("a.py"), "import torch\n");
}

TEST_F(Patches, StandBesideInstalls) {
  apply();
  add_install(State::committed);
  reading_.changes = {{"a.py", "import torch_gcu\n", "import torch_gcu as torch\n"}};
  apply();
  const Execution undone = undo(1, true);
  EXPECT_THAT(undone.report.steps, testing::SizeIs(1)) << "the later patch stays as it is";
  std::vector<std::optional<State>> states;
  for (const Transaction& each : sound_transactions(sample_.host)) states.push_back(each.state());
  EXPECT_THAT(states, ElementsAre(State::restored, State::committed, State::committed));
}

TEST_F(Patches, WaitForAnInstallThatWasCutOff) {
  add_install(State::applying);
  const Error error = thrown_by([&] { apply(); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_EQ(text_of("a.py"), "import torch\n");
}

// An install that is being undone, with a later patch that stays.
TEST_F(Patches, AreNoPartOfTheRowOfInstalls) {
  const Transaction install = add_install(State::committed);
  apply();
  const fs::path folder = sample_.host.resolve(install.folder);
  fs::create_directory(folder / "undo");
  write_snapshot_record({}, folder / "undo");
  Journal(folder / "journal").append(State::restoring, {{"undo", true}});
  EXPECT_NO_THROW(sound_transactions(sample_.host));
}

TEST_F(Patches, AreKeptInLargerNumbers) {
  std::vector<Transaction> all;
  for (std::int64_t id = 1; id <= 30; ++id) {
    const bool is_install = id % 6 == 0;
    const Json begun = is_install ? Json::object() : Json{{"kind", "patch"}};
    all.push_back({id, "", {{State::begun, begun}, {State::committed}}});
  }
  std::vector<std::int64_t> gone;
  for (const Transaction& each : expired(all, {})) gone.push_back(each.id);
  EXPECT_THAT(gone, ElementsAre(1, 2, 3, 4, 5, 6, 12, 18));
}

TEST_F(Patches, NameTheirOwnFailures) {
  EXPECT_THAT(apply_patch(sample_.host, request_, {}, events_).execution.report.message,
              HasSubstr("nothing to change"));
  const Error error = thrown_by([&] { undo(7); });
  EXPECT_THAT(error.message(), HasSubstr("no transaction 7"));
}

}  // namespace
}  // namespace topsctl
