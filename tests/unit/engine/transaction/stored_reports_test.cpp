// Reports that stay with their transactions, and what is told when a crash kept them from being
// written.
#include "topsctl/engine/transaction/stored_reports.hpp"
#include "topsctl/engine/transaction/transaction.hpp"
#include "topsctl/model/execution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using State = TransactionState;

class StoredReports : public testing::Test {
 protected:
  StoredReports() { sample_.folder.make_folder("var/lib/topsctl/transactions/1"); }
  void announce(State state, const Json& details = Json::object()) {
    Journal(sample_.folder / "var/lib/topsctl/transactions/1/journal").append(state, details);
  }
  void begin() {
    announce(State::begun,
             {{"started_at", "2026-11-20T10:15:00Z"},
              {"packages", {{{"name", "tops-eccl"}, {"before", "1"}, {"after", "2"}}}}});
  }
  void restore(int differing = 0) {
    announce(State::restoring);
    announce(State::restored,
             {{"paths_checked", 30}, {"differing", differing}, {"was_changed", true}});
  }
  Execution execution(const std::string& command, Outcome outcome) {
    Execution execution;
    execution.report.transaction = 1;
    execution.report.plan.emplace().command = command;
    execution.report.outcome = outcome;
    return execution;
  }
  std::vector<std::string> told() {
    std::vector<std::string> lines;
    for (const Json& report : reports_of(sample_.host, list_transactions(sample_.host).at(0))) {
      lines.push_back(report["command"].get<std::string>() + " " +
                      report["outcome"].get<std::string>() +
                      (report["rebuilt"].get<bool>() ? " rebuilt" : ""));
    }
    return lines;
  }
  Json last() { return reports_of(sample_.host, list_transactions(sample_.host).at(0)).back(); }

  SampleHost sample_;
};

TEST_F(StoredReports, ComeBackAsTheyWereStored) {
  begin();
  announce(State::committed);
  Execution done = execution("install", Outcome::committed);
  done.warnings = {"a warning"};
  store_report(sample_.host, "install", done);
  EXPECT_THAT(told(), ElementsAre("install committed"));
  EXPECT_EQ(last(), execution_document("install", done));
  struct stat status {};
  const fs::path file = sample_.folder / "var/lib/topsctl/transactions/1/report.json";
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(StoredReports, OfTheWayBackStandBesideThatOfTheInstall) {
  begin();
  announce(State::committed);
  Execution done = execution("install", Outcome::committed);
  store_report(sample_.host, "install", done);
  restore();
  Execution undone = execution("rollback", Outcome::rolled_back);
  store_report(sample_.host, "rollback", undone);
  EXPECT_THAT(told(), ElementsAre("install committed", "rollback rolled_back"));
}

TEST_F(StoredReports, AreNotTakenForThoseOfAnotherCommand) {
  begin();
  announce(State::committed);
  Execution recovered = execution("recover", Outcome::rolled_back);
  store_report(sample_.host, "install", recovered);
  Execution planned;
  store_report(sample_.host, "install", planned);
  EXPECT_FALSE(fs::exists(sample_.folder / "var/lib/topsctl/transactions/1/report.json"));
}

TEST_F(StoredReports, HoldTheDigestsOfTheRawRecords) {
  sample_.folder.write("var/log/topsctl/1.log", "abc");
  sample_.folder.write("var/lib/topsctl/transactions/1/pip-report.json", "");
  Execution done = execution("install", Outcome::committed);
  done.report.log = "/var/log/topsctl/1.log";
  store_report(sample_.host, "install", done);
  ASSERT_EQ(done.report.logs.size(), 2U);
  EXPECT_EQ(done.report.logs[0].path, "/var/log/topsctl/1.log");
  EXPECT_EQ(done.report.logs[0].bytes, 3U);
  EXPECT_EQ(done.report.logs[0].sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(done.report.logs[1].kind, "pip-report");
}

TEST_F(StoredReports, ThatCannotBeWrittenAreAWarning) {
  Execution done = execution("install", Outcome::committed);
  done.report.transaction = 7;
  store_report(sample_.host, "install", done);
  EXPECT_THAT(done.warnings,
              ElementsAre(HasSubstr("cannot store the report with the transaction:")));
}

TEST_F(StoredReports, AreRebuiltFromTheJournalAfterACrash) {
  begin();
  announce(State::prepared, {{"paths", 30}, {"kept_bytes", 5}});
  announce(State::committed);
  EXPECT_THAT(told(), ElementsAre("install committed rebuilt"));
  EXPECT_THAT(last()["msg"],
              HasSubstr("according to its journal; the command ended before it wrote its report"));
  EXPECT_EQ(last()["packages"][0]["after"], "2");
  EXPECT_EQ(last()["write_set"]["paths"], 30);
  EXPECT_EQ(last()["changed"], true);
  EXPECT_TRUE(last()["error"].is_null());
  restore(2);
  EXPECT_THAT(told(),
              ElementsAre("install committed rebuilt", "rollback rollback_incomplete rebuilt"));
  EXPECT_EQ(last()["rollback"]["verified"]["paths_differing"], 2);
  EXPECT_EQ(last()["status"], "rollback_incomplete");
  EXPECT_EQ(last()["packages"][0]["after"], "1");
}

TEST_F(StoredReports, OfAnInstallThatWasCutOffSayThatItFailed) {
  begin();
  announce(State::applying);
  EXPECT_THAT(told(), IsEmpty()) << "it has not come to an end";
  restore();
  Execution recovered = execution("recover", Outcome::rolled_back);
  store_report(sample_.host, "recover", recovered);
  EXPECT_THAT(told(), ElementsAre("install rolled_back rebuilt", "recover rolled_back"));
  const Json first = reports_of(sample_.host, list_transactions(sample_.host).at(0)).front();
  EXPECT_EQ(first["status"], "rolled_back");
  EXPECT_EQ(first["failed"], true);
  EXPECT_EQ(first["error"]["message"], "install was interrupted");
}

TEST_F(StoredReports, OfAnInstallThatChangedTimesAloneSayThatAllIsWell) {
  begin();
  announce(State::restoring);
  announce(State::restored,
           {{"paths_checked", 30}, {"differing", 0}, {"was_changed", true}, {"only_times", true}});
  EXPECT_THAT(told(), ElementsAre("install no_change rebuilt"));
  EXPECT_EQ(last()["failed"], false);
  EXPECT_TRUE(last()["error"].is_null());
}

TEST_F(StoredReports, ThatAreDamagedAreRebuilt) {
  begin();
  announce(State::committed);
  sample_.folder.write("var/lib/topsctl/transactions/1/report.json", "{\"outcome\": \"comm");
  EXPECT_THAT(told(), ElementsAre("install committed rebuilt"));
}

}  // namespace
}  // namespace topsctl
