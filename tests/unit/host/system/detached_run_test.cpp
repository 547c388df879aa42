// Programs that outlive whoever started them, found again by their folder.
#include "topsctl/host/system/detached_run.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/memory_search.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

// Until it has ended; a run that never ends is stopped by the test's own time limit.
void wait_until_gone(const DetachedRun& run) {
  while (run.is_running()) ::usleep(5'000);
}

TEST(DetachedRuns, KeepWhatTheirProgramWritesAndHowItEnds) {
  const TemporaryFolder folder;
  const DetachedRun run(folder / "runs/one");
  run.start({"/bin/sh", "-c", "read word; echo report of $word; echo event >&2; exit 8"},
            Secret("sesame\n"));
  wait_until_gone(run);
  EXPECT_EQ(run.status(), 8);
  EXPECT_EQ(run.report(100), "report of sesame\n");
  EXPECT_EQ(run.events_from(0), "event\n");
  EXPECT_EQ(run.events_from(2), "ent\n");
  EXPECT_EQ(run.events_from(99), "");
}

TEST(DetachedRuns, AreStartedOnce) {
  const TemporaryFolder folder;
  const DetachedRun run(folder / "one");
  for (int i = 0; i < 2; ++i) run.start({"/bin/sh", "-c", "echo x"}, Secret(""));
  wait_until_gone(run);
  EXPECT_EQ(run.report(100), "x\n");
}

TEST(DetachedRuns, AreSeenWhileTheyRun) {
  const TemporaryFolder folder;
  const DetachedRun run(folder / "one");
  const auto gate = folder / "gate";
  run.start({"/bin/sh", "-c", "until [ -e \"$0\" ]; do sleep 0.01; done", gate.string()},
            Secret(""));
  EXPECT_TRUE(run.is_running());
  EXPECT_FALSE(run.status());
  folder.write("gate", "");
  wait_until_gone(run);
  EXPECT_EQ(run.status(), 0);
}

TEST(DetachedRuns, ThatAreKilledHaveTheStatusThatShellsGive) {
  const TemporaryFolder folder;
  const DetachedRun run(folder / "one");
  run.start({"/bin/sh", "-c", "kill -9 $$"}, Secret(""));
  wait_until_gone(run);
  EXPECT_EQ(run.status(), 137);
}

TEST(DetachedRuns, OfNoProgramSaySo) {
  const TemporaryFolder folder;
  const DetachedRun run(folder / "one");
  run.start({"/nowhere/program"}, Secret(""));
  wait_until_gone(run);
  EXPECT_EQ(run.status(), 127);
  EXPECT_EQ(run.events_from(0), "cannot start /nowhere/program\n");
}

TEST(DetachedRuns, WriteTheirInputNowhere) {
  const TemporaryFolder folder;
  const DetachedRun run(folder / "one");
  run.start({"/bin/sh", "-c", "read word"}, Secret("a-secret\n"));
  wait_until_gone(run);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(TemporaryFolder::read_bytes(entry.path()).find("a-secret"), std::string::npos);
  }
}

TEST(DetachedRuns, HaveAKeeperThatDoesNotKnowTheirInput) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to read another process's memory";
  const TemporaryFolder folder;
  const DetachedRun run(folder / "one");
  ASSERT_EQ(::mkfifo((folder / "gate").c_str(), 0600), 0);
  run.start({"/bin/sh", "-c", "read word; echo $PPID; echo $word | wc -c; cat \"$0\"",
             (folder / "gate").string()},
            SoughtText::as_secret());
  std::string report;
  while (std::count(report.begin(), report.end(), '\n') < 2) report = run.report(100);
  EXPECT_EQ(SoughtText::copies(report.substr(0, report.find('\n'))), 0U);
  EXPECT_EQ(SoughtText::copies(), 0U);
  Descriptor(::open((folder / "gate").c_str(), O_WRONLY | O_CLOEXEC)).close();
  wait_until_gone(run);
  EXPECT_NE(report.find("201"), std::string::npos);
}

TEST(DetachedRuns, WithALongReportAreRefused) {
  const TemporaryFolder folder;
  const DetachedRun run(folder / "one");
  run.start({"/bin/sh", "-c", "head -c 200000 /dev/zero"}, Secret(""));
  wait_until_gone(run);
  EXPECT_EQ(thrown_by([&] { run.report(100'000); }).code(), ErrorCode::host_unfit);
}

}  // namespace
}  // namespace topsctl
