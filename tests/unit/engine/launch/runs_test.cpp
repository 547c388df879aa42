// Which runs there are, what they are called, and how they are.
#include "topsctl/engine/launch/runs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/sample_host.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/supervisor.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using testing::SizeIs;

class Runs : public testing::Test {
 protected:
  Runs() { sample_.host.environment["XDG_STATE_HOME"] = (logs_ / "state").string(); }

  LaunchRecord record(const std::string& name) const {
    LaunchRecord record;
    record.run = name;
    record.request.words = {"train.py"};
    record.log_folder = (logs_ / name).string();
    record.directory = "/srv";
    record.pid = ::getpid();
    record.process_start = start_of_process(::getpid());
    record.started_at = "2026-11-25T16:32:00Z";
    return record;
  }
  void add(const LaunchRecord& record) {
    logs_.write(record.run + "/launch.json", to_text(to_json(record)));
    note_run(sample_.host, record.run, record.log_folder);
  }

  SampleHost sample_;
  TemporaryFolder logs_;
};

TEST_F(Runs, RunEndOrAreKilled) {
  add(record("20261125T000001Z-1"));
  LaunchRecord ended = record("20261125T000002Z-2");
  ended.ended_at = "2026-11-25T16:33:00Z";
  ended.status = 0;
  add(ended);
  LaunchRecord killed = record("20261125T000003Z-3");
  killed.process_start = "1@another start";
  add(killed);
  const auto runs = all_runs(sample_.host);
  ASSERT_THAT(runs, SizeIs(3));
  EXPECT_EQ(runs[0].state, RunState::running);
  EXPECT_EQ(runs[1].state, RunState::ended);
  EXPECT_EQ(runs[2].state, RunState::killed);
  EXPECT_TRUE(stop_run(runs[2])) << "a later process with that number is not touched";
}

TEST_F(Runs, AreFoundByTheirNames) {
  add(record("20261125T000001Z-1"));
  add(record("20261125T000002Z-2"));
  EXPECT_EQ(run_named(sample_.host, "last").name, "20261125T000002Z-2");
  EXPECT_EQ(run_named(sample_.host, "20261125T000001").name, "20261125T000001Z-1");
  EXPECT_EQ(run_named(sample_.host, (logs_ / "20261125T000001Z-1").string()).name,
            "20261125T000001Z-1");
  EXPECT_THAT(thrown_by([&] { run_named(sample_.host, "2026"); }).message(),
              HasSubstr("is ambiguous:"));
  EXPECT_THAT(thrown_by([&] { run_named(sample_.host, "nothing"); }).message(),
              HasSubstr("unknown run"));
}

TEST_F(Runs, WithoutAWholeRecordAreUnreadable) {
  add(record("20261125T000001Z-1"));
  logs_.write("20261125T000001Z-1/launch.json", "{");
  EXPECT_EQ(all_runs(sample_.host).at(0).state, RunState::unreadable);
  LaunchRecord named = record("20261125T000001Z-1");
  named.run = "\x1b[2J";
  logs_.write("20261125T000001Z-1/launch.json", to_text(to_json(named)));
  EXPECT_EQ(all_runs(sample_.host).at(0).state, RunState::unreadable);
}

TEST_F(Runs, OfOthersAreNotRead) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: it gives a file away";
  add(record("20261125T000001Z-1"));
  ASSERT_EQ(::chown((logs_ / "20261125T000001Z-1/launch.json").c_str(), 65534, 65534), 0);
  EXPECT_THAT(all_runs(sample_.host).at(0).problem, HasSubstr("belongs to another user"));
}

TEST_F(Runs, WhoseNotesAreLinksAreNotFollowed) {
  add(record("20261125T000001Z-1"));
  logs_.write("secret", "root:x\nnot to be seen\n");
  fs::create_symlink(logs_ / "secret", logs_ / "state/topsctl/runs/20261125T000002Z-2");
  const auto runs = all_runs(sample_.host);
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[1].log_folder, "");
}

TEST_F(Runs, OfRootAreNotNotedInAUsersPlace) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root: it gives a directory away";
  fs::create_directories(logs_ / "state");
  ASSERT_EQ(::chown((logs_ / "state").c_str(), 65534, 65534), 0);
  add(record("20261125T000001Z-1"));
  EXPECT_FALSE(fs::exists(logs_ / "state/topsctl"));
  EXPECT_THAT(all_runs(sample_.host), SizeIs(1));
}

TEST_F(Runs, WhoseLogsAreGoneAreForgotten) {
  add(record("20261125T000001Z-1"));
  fs::remove_all(logs_ / "20261125T000001Z-1");
  EXPECT_THAT(all_runs(sample_.host), SizeIs(1));
  add(record("20261125T000002Z-2"));
  EXPECT_THAT(all_runs(sample_.host), SizeIs(1));
}

TEST_F(Runs, OfAnotherHostThatSharesTheStateAreNotForgotten) {
  const fs::path note = runs_folder(sample_.host) / "20261125T000001Z-1";
  add(record("20261125T000001Z-1"));
  fs::remove_all(logs_ / "20261125T000001Z-1");
  write_durably(note, "another-host\n" + (logs_ / "20261125T000001Z-1").string() + "\n", 0600);
  add(record("20261125T000002Z-2"));
  EXPECT_THAT(all_runs(sample_.host), SizeIs(2));
}

}  // namespace
}  // namespace topsctl
