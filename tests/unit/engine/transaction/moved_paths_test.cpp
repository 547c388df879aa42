// What diversions have moved, though no write set named it.
#include "topsctl/engine/transaction/moved_paths.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <optional>

#include "support/sample_host.hpp"
#include "topsctl/engine/transaction/snapshot_restore.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();

class MovedPaths : public testing::Test {
 protected:
  MovedPaths() {
    write("usr/lib/x/libfoo.so", "foo");
    write("usr/lib/x/libbar.so", "bar");
    write("usr/share/y/z", "z");
    write("var/lib/dpkg/diversions", "");
    take();
  }
  void write(const std::string& path, const std::string& text) { sample_.folder.write(path, text); }
  void take() {
    store_.emplace();
    WriteSetSummary summary;
    snapshot_ = take_snapshot(sample_.host, {{"/usr/lib/x/own.so"}, {{"/var/lib/dpkg", ""}}},
                              store_->path(), summary);
    wait_for_a_time_after(change_time_ns(sample_.folder / "var/lib/dpkg/diversions"));
    before_ = record_folders(sample_.host, snapshot_, store_->path());
    wait_for_a_time_after(before_.since_ns);
  }
  // The kernel's clock goes in ticks: what is written within one has the same time.
  void wait_for_a_time_after(std::int64_t time_ns) const {
    const fs::path tick = store_->path() / "tick";
    do {
      fs::remove(tick);
      std::ofstream(tick) << 1;
    } while (change_time_ns(tick) <= time_ns);
  }
  // As dpkg-divert(1) with --rename.
  void divert(const std::string& from, const std::string& to, const std::string& package = "own") {
    note(from, to, package);
    fs::rename(sample_.folder / from, sample_.folder / to);
  }
  void note(const std::string& from, const std::string& to, const std::string& package = "own") {
    write("var/lib/dpkg/diversions", sample_.folder.read("var/lib/dpkg/diversions") + "/" + from +
                                         "\n/" + to + "\n" + package + "\n");
  }
  std::vector<std::string> complete(std::int64_t end_ns = no_end) {
    return complete_snapshot(sample_.host, snapshot_, store_->path(), before_, end_ns);
  }
  // Puts all back and compares, by the record alone.
  void expect_restored() {
    const Snapshot loaded = load_snapshot(store_->path());
    EXPECT_THAT(restore_snapshot(sample_.host, loaded, store_->path()), IsEmpty());
    EXPECT_THAT(compare_with_snapshot(sample_.host, loaded, store_->path()).differing, IsEmpty());
  }
  std::int64_t time_of(const std::string& path) const {
    return file_state((sample_.folder / path).string(), Content::ignore).mtime_ns;
  }

  SampleHost sample_;
  std::optional<TemporaryFolder> store_;
  Snapshot snapshot_;
  FolderRecord before_;
};

TEST_F(MovedPaths, AreLostIfTheirFolderGoesWithThem) {
  write("usr/lib/x/own.so", "own");
  take();
  fs::remove_all(sample_.folder / "usr/lib/x");
  EXPECT_THAT(complete(), ElementsAre("/usr/lib/x/libbar.so", "/usr/lib/x/libfoo.so"));
}

TEST_F(MovedPaths, AreNamedAtBothEndsIfFoldersWereExchanged) {
  ASSERT_EQ(::renameat2(AT_FDCWD, (sample_.folder / "usr/lib/x").c_str(), AT_FDCWD,
                        (sample_.folder / "usr/share/y").c_str(), RENAME_EXCHANGE),
            0);
  EXPECT_THAT(complete(),
              ElementsAre("/usr/lib/x/libbar.so", "/usr/lib/x/libfoo.so", "/usr/lib/x/z",
                          "/usr/share/y/libbar.so", "/usr/share/y/libfoo.so", "/usr/share/y/z"));
}

TEST_F(MovedPaths, ArePutBackWithTheTimesOfTheirFolders) {
  const auto there = time_of("usr/lib/x");
  const auto elsewhere = time_of("usr/share/y");
  divert("usr/lib/x/libfoo.so", "usr/lib/x/libfoo.so.distrib");
  divert("usr/lib/x/libbar.so", "usr/share/y/libbar.so");
  write("usr/lib/x/libfoo.so", "of the package");
  EXPECT_THAT(complete(), IsEmpty());
  EXPECT_THAT(complete(), IsEmpty()) << "a second time";
  expect_restored();
  EXPECT_EQ(sample_.folder.read("usr/lib/x/libfoo.so"), "foo");
  EXPECT_EQ(sample_.folder.read("usr/lib/x/libbar.so"), "bar");
  EXPECT_FALSE(fs::exists(sample_.folder / "usr/lib/x/libfoo.so.distrib"));
  EXPECT_FALSE(fs::exists(sample_.folder / "usr/share/y/libbar.so"));
  EXPECT_EQ(time_of("usr/lib/x"), there);
  EXPECT_EQ(time_of("usr/share/y"), elsewhere);
}

TEST_F(MovedPaths, MayLieInFoldersThatWereNotThere) {
  fs::create_directories(sample_.folder / "usr/share/y/made/deep");
  divert("usr/lib/x/libfoo.so", "usr/share/y/made/deep/libfoo.so");
  EXPECT_THAT(complete(), IsEmpty());
  expect_restored();
  EXPECT_FALSE(fs::exists(sample_.folder / "usr/share/y/made"));
  EXPECT_EQ(sample_.folder.read("usr/lib/x/libfoo.so"), "foo");
}

TEST_F(MovedPaths, AreNoneWhereADiversionIsOnlyNoted) {
  note("usr/lib/x/libfoo.so", "usr/lib/x/libfoo.so.distrib");
  EXPECT_THAT(complete(), IsEmpty());
  expect_restored();
  EXPECT_EQ(sample_.folder.read("usr/lib/x/libfoo.so"), "foo");
}

TEST_F(MovedPaths, StayWhereAnotherPackagesFileIsOnlyPutBesideThem) {
  note("usr/lib/x/libfoo.so", "usr/lib/x/libfoo.so.distrib");
  write("usr/lib/x/libfoo.so.distrib", "unpacked");
  EXPECT_THAT(complete(), IsEmpty());
  expect_restored();
  EXPECT_EQ(sample_.folder.read("usr/lib/x/libfoo.so"), "foo");
  EXPECT_FALSE(fs::exists(sample_.folder / "usr/lib/x/libfoo.so.distrib"));
}

TEST_F(MovedPaths, OfOthersStay) {
  const std::int64_t end = change_time_ns(store_->path() / "tick");
  before_.since_ns = 0;
  while (change_time_ns(sample_.folder / "usr/lib/x/moved") <= end) {
    fs::remove(sample_.folder / "usr/lib/x/moved");
    write("usr/lib/x/moved", "later");
  }
  note("usr/lib/x/libmoved.so", "usr/lib/x/moved");
  complete(end);
  expect_restored();
  EXPECT_EQ(sample_.folder.read("usr/lib/x/moved"), "later");
}

TEST_F(MovedPaths, ThatWereWrittenIntoAreTold) {
  divert("usr/lib/x/libfoo.so", "usr/lib/x/libfoo.so.distrib");
  write("usr/lib/x/libfoo.so.distrib", "written");
  EXPECT_THAT(complete(), ElementsAre("/usr/lib/x/libfoo.so"));
}

TEST_F(MovedPaths, ThatNoDiversionTellsOfAreTold) {
  fs::remove(sample_.folder / "usr/lib/x/libfoo.so");
  fs::rename(sample_.folder / "usr/share/y/z", sample_.folder / "usr/share/y/elsewhere");
  EXPECT_THAT(complete(), ElementsAre("/usr/lib/x/libfoo.so", "/usr/share/y/z"));
}

TEST_F(MovedPaths, AreNoneInAFolderThatHoldsWhatItHeld) {
  const auto then = time_of("usr/share/y");
  write("usr/share/y/short-lived", "");
  fs::remove(sample_.folder / "usr/share/y/short-lived");
  EXPECT_NE(time_of("usr/share/y"), then);
  EXPECT_THAT(complete(), IsEmpty());
  expect_restored();
  EXPECT_EQ(time_of("usr/share/y"), then);
}

TEST_F(MovedPaths, KeepTheirOtherNames) {
  fs::create_hard_link(sample_.folder / "usr/lib/x/libfoo.so",
                       sample_.folder / "usr/lib/x/again.so");
  take();
  divert("usr/lib/x/libfoo.so", "usr/lib/x/libfoo.so.distrib");
  EXPECT_THAT(complete(), IsEmpty());
  expect_restored();
  EXPECT_TRUE(fs::equivalent(sample_.folder / "usr/lib/x/libfoo.so",
                             sample_.folder / "usr/lib/x/again.so"));
}

TEST_F(MovedPaths, AreKeptAgainAfterACutOffAttempt) {
  divert("usr/lib/x/libfoo.so", "usr/lib/x/libfoo.so.distrib");
  const std::string next = "c" + std::to_string(snapshot_.paths.size());
  std::ofstream(store_->path() / next) << "half";
  EXPECT_THAT(complete(), IsEmpty());
  expect_restored();
  EXPECT_EQ(sample_.folder.read("usr/lib/x/libfoo.so"), "foo");
}

}  // namespace
}  // namespace topsctl
