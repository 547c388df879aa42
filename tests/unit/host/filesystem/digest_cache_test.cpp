// Digests of files that were read before.
#include "topsctl/host/filesystem/digest_cache.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

// So far after the real time that files of now are settled, or not at all.
class SettableClock : public SystemClock {
 public:
  std::chrono::system_clock::time_point now() const override { return SystemClock::now() + later; }
  std::chrono::seconds later{10};
};

class DigestCaches : public testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string file_ = folder_.write("file", "some bytes").string();
  std::filesystem::path notes() const { return folder_.path() / "notes"; }

  // Whether the file was read.
  bool is_read(DigestCache& cache) const {
    bool is_read = false;
    struct stat before {};
    EXPECT_EQ(::stat(file_.c_str(), &before), 0);
    const auto digest = cache.digest_of(before, "md5", [&](struct stat& after) {
      is_read = true;
      EXPECT_EQ(::stat(file_.c_str(), &after), 0);
      return std::optional<std::string>("abc");
    });
    EXPECT_EQ(digest, "abc");
    return is_read;
  }
  bool is_read_anew() const {
    DigestCache cache(notes(), clock_);
    const bool read = is_read(cache);
    cache.write();
    return read;
  }

  SettableClock clock_;
};

TEST_F(DigestCaches, SpareReadingWhatHasNotChanged) {
  EXPECT_TRUE(is_read_anew());
  EXPECT_FALSE(is_read_anew());
  EXPECT_FALSE(is_read_anew());
}

TEST_F(DigestCaches, ReadWhatHasOtherTimesOrAnotherSize) {
  EXPECT_TRUE(is_read_anew());
  std::ofstream(file_, std::ios::app) << "more";
  EXPECT_TRUE(is_read_anew());
  EXPECT_FALSE(is_read_anew());
  // The time of the content can be set back, that of the last change cannot.
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  std::ofstream(file_, std::ios::in) << "SOME";
  const timespec times[] = {status.st_atim, status.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), times, 0), 0);
  EXPECT_TRUE(is_read_anew());
}

TEST_F(DigestCaches, NoteNothingOfAFileThatHasJustChanged) {
  clock_.later = std::chrono::seconds(0);
  EXPECT_TRUE(is_read_anew());
  EXPECT_TRUE(is_read_anew());
}

TEST_F(DigestCaches, BelieveNoNotesThatAreDamagedOrOfOthers) {
  EXPECT_TRUE(is_read_anew());
  ASSERT_EQ(::chmod(notes().c_str(), 0622), 0);
  EXPECT_TRUE(is_read_anew());
  EXPECT_FALSE(is_read_anew());
  std::fstream(notes(), std::ios::in | std::ios::out) << "0";
  EXPECT_TRUE(is_read_anew());
  std::ofstream(notes(), std::ios::app) << "1:2:3:4.5:6.7 md5 abc\n";
  EXPECT_TRUE(is_read_anew());
}

TEST_F(DigestCaches, NeedNoPlaceToWriteTo) {
  DigestCache cache("/proc/none/notes", clock_);
  EXPECT_TRUE(is_read(cache));
  cache.write();
}

}  // namespace
}  // namespace topsctl
