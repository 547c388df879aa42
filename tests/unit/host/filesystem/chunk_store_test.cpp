// Parts that fill up, and objects that are kept.
#include "topsctl/host/filesystem/chunk_store.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {
namespace {

struct TwoChunks {
  std::string bytes;
  ChunkList chunks;
  std::string id;
};

// Two chunks.
TwoChunks two_chunks() {
  TwoChunks content;
  content.bytes = std::string(chunk_bytes, 'a') + "the rest";
  content.chunks.size = content.bytes.size();
  for (const std::string& chunk :
       {content.bytes.substr(0, chunk_bytes), content.bytes.substr(chunk_bytes)})
    content.chunks.digests.push_back(*bytes_of_hex(sha256_of(chunk)));
  content.id = content_id(content.chunks);
  return content;
}

void write_chunk(Part& part, const TwoChunks& content, std::uint64_t chunk) {
  part.begin(chunk);
  part.write(chunk * chunk_bytes,
             std::string_view(content.bytes)
                 .substr(chunk * chunk_bytes, chunk_size(content.chunks.size, chunk)));
  part.mark(chunk, content.chunks.digests[chunk]);
}

void write_all(Part& part, const TwoChunks& content) {
  for (std::uint64_t chunk = 0; chunk < content.chunks.digests.size(); ++chunk)
    write_chunk(part, content, chunk);
}

// As by a writer that comes late: the object's seal is off.
void move_time(const std::filesystem::path& file) {
  const timespec times[2] = {{0, UTIME_NOW}, {1'000'000'000, 1}};
  ::utimensat(AT_FDCWD, file.c_str(), times, 0);
}

TEST(Parts, BecomeObjectsOnceTheyAreWhole) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part part(store.path(), content.id, content.chunks.size);
  write_chunk(part, content, 1);
  EXPECT_EQ(thrown_by([&] { part.complete(); }).code(), ErrorCode::internal);
  EXPECT_FALSE(object_in(store.path(), content.id));
  write_chunk(part, content, 0);
  part.complete();
  const auto object = object_in(store.path(), content.id);
  ASSERT_TRUE(object);
  EXPECT_EQ(TemporaryFolder::read_bytes(*object), content.bytes);
  EXPECT_TRUE(std::filesystem::is_empty(store.path() / "parts"));
}

TEST(Parts, TellWhatOfThemIsThere) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  {
    Part part(store.path(), content.id, content.chunks.size);
    write_chunk(part, content, 1);
    part.begin(0);
    part.write(0, "half of a chunk");
  }
  const auto found = Part(store.path(), content.id, content.chunks.size).verified();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0]);
  EXPECT_EQ(found[1], content.chunks.digests[1]);
}

TEST(Parts, DoNotBelieveMarksWhoseDataIsSomethingElse) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part part(store.path(), content.id, content.chunks.size);
  write_all(part, content);
  part.write(chunk_bytes / 2, "b");
  EXPECT_FALSE(part.verified()[0]);
  EXPECT_TRUE(part.verified()[1]);
  EXPECT_EQ(thrown_by([&] { part.complete(); }).code(), ErrorCode::internal);
}

TEST(Parts, ThatTwoFillAtOnceAreOneObject) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part one(store.path(), content.id, content.chunks.size);
  Part other(store.path(), content.id, content.chunks.size);
  write_chunk(one, content, 0);
  write_chunk(other, content, 1);
  one.complete();
  other.complete();
  EXPECT_TRUE(object_in(store.path(), content.id));
}

TEST(Parts, AreCompletedWhileAnotherRunWritesTheSameAgain) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part one(store.path(), content.id, content.chunks.size);
  Part other(store.path(), content.id, content.chunks.size);
  write_all(one, content);
  other.begin(0);
  other.write(0, std::string_view(content.bytes).substr(0, chunk_bytes / 2));
  one.complete();
  EXPECT_TRUE(object_in(store.path(), content.id));
}

TEST(Parts, AreNotCompletedWhileAnotherRunWritesSomethingElse) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part one(store.path(), content.id, content.chunks.size);
  Part other(store.path(), content.id, content.chunks.size);
  write_all(one, content);
  other.begin(0);
  other.write(0, "something else");
  EXPECT_EQ(thrown_by([&] { one.complete(); }).code(), ErrorCode::internal);
}

TEST(Objects, ThatWereWrittenToAreNoLongerThere) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part part(store.path(), content.id, content.chunks.size);
  write_all(part, content);
  part.complete();
  const auto object = *object_in(store.path(), content.id);
  move_time(object);
  EXPECT_FALSE(object_in(store.path(), content.id));
}

TEST(Parts, DoNotReplaceWhatAnotherRunCompleted) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part one(store.path(), content.id, content.chunks.size);
  Part other(store.path(), content.id, content.chunks.size);
  write_all(one, content);
  one.complete();
  const Part begun_anew(store.path(), content.id, content.chunks.size);
  other.complete();
  EXPECT_TRUE(object_in(store.path(), content.id));
}

// The seal of an object is off for a moment when another run writes the same bytes into it.
TEST(Parts, BegunAnewEndWithTheObjectThatAnotherRunCompleted) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part one(store.path(), content.id, content.chunks.size);
  write_all(one, content);
  one.complete();
  move_time(store.path() / "objects" / content.id);
  Part begun_anew(store.path(), content.id, content.chunks.size);
  begun_anew.complete();
  EXPECT_TRUE(object_in(store.path(), content.id));
  EXPECT_TRUE(std::filesystem::is_empty(store.path() / "parts"));
}

TEST(Parts, AreNotBegunWhereThereIsAWholeObject) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  auto part = Part::unless_whole(store.path(), content.id, content.chunks.size);
  ASSERT_TRUE(part);
  write_all(*part, content);
  part->complete();
  move_time(store.path() / "objects" / content.id);
  EXPECT_FALSE(Part::unless_whole(store.path(), content.id, content.chunks.size));
  EXPECT_TRUE(std::filesystem::is_empty(store.path() / "parts"));
}

TEST(Parts, DoNotGiveTheirNameToWhatIsInTheirPlace) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part part(store.path(), content.id, content.chunks.size);
  write_all(part, content);
  std::filesystem::remove(store.path() / "parts" / (content.id + ".part"));
  const Part other(store.path(), content.id, content.chunks.size);
  EXPECT_EQ(thrown_by([&] { part.complete(); }).code(), ErrorCode::internal);
  EXPECT_FALSE(std::filesystem::exists(store.path() / "objects" / content.id));
}

TEST(Parts, OfOneStoreAreCompletedOneAfterTheOther) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  std::vector<std::thread> runs;
  for (int run = 0; run < 8; ++run) {
    runs.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        auto part = Part::unless_whole(store.path(), content.id, content.chunks.size);
        for (const std::uint64_t chunk : {0U, 1U})
          if (part && !part->is_complete()) write_chunk(*part, content, chunk);
        // What joins a run late makes no part that nobody completes.
        Part::unless_whole(store.path(), content.id, content.chunks.size);
        if (part) part->complete();
        EXPECT_TRUE(whole_object(store.path(), content.id, content.chunks.size));
      }
    });
  }
  for (std::thread& run : runs) run.join();
  EXPECT_TRUE(std::filesystem::is_empty(store.path() / "parts"));
}

TEST(Objects, IntoWhichTheSameWasWrittenAreThereOnceTheyWereReadAgain) {
  const TemporaryFolder store;
  const TwoChunks content = two_chunks();
  Part part(store.path(), content.id, content.chunks.size);
  write_all(part, content);
  EXPECT_FALSE(part.is_complete());
  part.complete();
  EXPECT_TRUE(part.is_complete());
  part.write(chunk_bytes, "the rest");
  move_time(store.path() / "objects" / content.id);
  EXPECT_FALSE(object_in(store.path(), content.id));
  EXPECT_TRUE(whole_object(store.path(), content.id, content.chunks.size));
  EXPECT_TRUE(object_in(store.path(), content.id));
  part.write(chunk_bytes, "the best");
  EXPECT_FALSE(whole_object(store.path(), content.id, content.chunks.size));
  EXPECT_FALSE(whole_object(store.path(), two_chunks().id + "x", content.chunks.size));
}

TEST(Objects, OfNoBytesAreObjectsToo) {
  const TemporaryFolder store;
  const std::string id = content_id({0, {}});
  Part(store.path(), id, 0).complete();
  EXPECT_TRUE(object_in(store.path(), id));
}

TEST(ArrivingObjects, CanBeReadAsFarAsTheyAreMarkedAndAfterTheyAreComplete) {
  const TemporaryFolder folder;
  const TwoChunks content = two_chunks();
  Part part(folder.path(), content.id, content.chunks.size);
  const ArrivingObject arriving(folder.path(), content.id, content.chunks.size);
  EXPECT_EQ(arriving.present(), (std::vector<bool>{false, false}));
  write_chunk(part, content, 1);
  EXPECT_EQ(arriving.present(), (std::vector<bool>{false, true}));
  std::string rest(8, '\0');
  arriving.read(chunk_bytes, rest);
  EXPECT_EQ(rest, "the rest");
  write_chunk(part, content, 0);
  part.complete();
  EXPECT_EQ(arriving.present(), (std::vector<bool>{true, true}));
  const ArrivingObject whole(folder.path(), content.id, content.chunks.size);
  EXPECT_EQ(whole.present(), (std::vector<bool>{true, true}));
  whole.read(chunk_bytes, rest);
  EXPECT_EQ(rest, "the rest");
  EXPECT_EQ(thrown_by([&] { whole.read(2 * chunk_bytes, rest); }).code(), ErrorCode::internal);
}

TEST(ArrivingObjects, AreNotThereBeforeAnythingIs) {
  const TemporaryFolder folder;
  thrown_by([&] { ArrivingObject(folder.path(), two_chunks().id, 1); });
}

}  // namespace
}  // namespace topsctl
