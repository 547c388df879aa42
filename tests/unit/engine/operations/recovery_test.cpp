// Recovery from transactions that a crash cut off.
#include "topsctl/engine/operations/recovery.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/engine/transaction/unfinished.hpp"
#include "topsctl/model/execution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/recording_sink.hpp"
#include "support/sample_transaction.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = TransactionState;

class Recoveries : public testing::Test {
 protected:
  Recoveries() { sample_.folder.write("etc/config", "as it was"); }
  std::vector<std::optional<State>> states() const {
    std::vector<std::optional<State>> states;
    for (const Transaction& t : list_transactions(sample_.host)) states.push_back(t.state());
    return states;
  }

  SampleHost sample_;
  EventFan events_;
};

TEST_F(Recoveries, HaveNothingToDoOnASoundMachine) {
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  EXPECT_THAT(recovery.warnings, IsEmpty());
  EXPECT_FALSE(recovery.last.has_value());
  EXPECT_FALSE(recovery.has_failed());
  EXPECT_THAT(unfinished_warnings(sample_.host), IsEmpty());
}

TEST_F(Recoveries, RestoreFromEveryStateThatMayHaveChangedSomething) {
  for (const State state : {State::applying, State::verifying, State::restoring}) {
    cut_off_transaction(sample_, state);
    const Recovery recovery = recover_unfinished(sample_.host, events_);
    EXPECT_FALSE(recovery.has_failed()) << name(state);
    EXPECT_THAT(recovery.warnings, ElementsAre(HasSubstr("the host is again as before it")));
    EXPECT_EQ(sample_.folder.read("etc/config"), "as it was") << name(state);
    EXPECT_EQ(states().back(), State::restored);
  }
}

TEST_F(Recoveries, EndATransactionThatChangedNothing) {
  for (const State state : {State::begun, State::prepared}) {
    cut_off_transaction(sample_, state);
    const Recovery recovery = recover_unfinished(sample_.host, events_);
    EXPECT_FALSE(recovery.last.has_value());
    EXPECT_THAT(recovery.warnings, ElementsAre(HasSubstr("before it changed anything")));
    EXPECT_EQ(states().back(), State::restored);
  }
}

TEST_F(Recoveries, WorkFromTheNewestToTheOldest) {
  cut_off_transaction(sample_, State::applying);
  sample_.folder.write("etc/config", "as the first left it");
  cut_off_transaction(sample_, State::applying);
  EXPECT_THAT(recover_unfinished(sample_.host, events_).warnings,
              ElementsAre(HasSubstr("transaction 2"), HasSubstr("transaction 1")));
  EXPECT_EQ(sample_.folder.read("etc/config"), "as it was");
  EXPECT_FALSE(fs::exists(sample_.folder / "etc/new"));
}

TEST_F(Recoveries, StopAtTheFirstThatCannotBeRestoredCompletely) {
  cut_off_transaction(sample_, State::applying);
  cut_off_transaction(sample_, State::applying);
  put_in_the_way(sample_.folder, "etc/config");
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  EXPECT_TRUE(recovery.has_failed());
  EXPECT_EQ(recovery.last->exit, ExitCode::rollback_incomplete);
  EXPECT_THAT(states(), ElementsAre(State::applying, State::restoring));
}

TEST_F(Recoveries, AddTheirWarningsToWhatComesAfterThem) {
  cut_off_transaction(sample_, State::applying);
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  const Execution after = with_recovery(recovery, [] {
    Execution execution;
    execution.warnings = {"its own"};
    return execution;
  });
  EXPECT_THAT(after.warnings, ElementsAre(HasSubstr("transaction 1 was cut off"), "its own"));
}

TEST_F(Recoveries, AreReportedEvenWhenWhatComesAfterThemFails) {
  cut_off_transaction(sample_, State::applying);
  const Recovery recovery = recover_unfinished(sample_.host, events_);
  const auto failing = []() -> Execution { throw Error(ErrorCode::bad_bundle, "no bundle"); };
  const Execution after = with_recovery(recovery, failing);
  EXPECT_EQ(after.exit, ExitCode::bad_input);
  EXPECT_EQ(after.error->message(), "no bundle");
  EXPECT_EQ(after.report.transaction, 1);
  EXPECT_TRUE(after.report.changed && after.report.failed);
  EXPECT_EQ(thrown_by([&] { with_recovery(Recovery{}, failing); }).code(), ErrorCode::bad_bundle)
      << "nothing was changed";
}

TEST_F(Recoveries, AreAnnouncedByCommandsThatOnlyLook) {
  cut_off_transaction(sample_, State::applying);
  EXPECT_THAT(unfinished_warnings(sample_.host),
              ElementsAre(testing::AllOf(HasSubstr("transaction 1 is unfinished"),
                                         HasSubstr("`topsctl recover`"))));
  EXPECT_EQ(sample_.folder.read("etc/config"), "changed");
}

}  // namespace
}  // namespace topsctl
