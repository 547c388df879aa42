// Bytes from files, memory and stretches of other sources.
#include "topsctl/host/archive/source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

// Gives its pieces one by one.
class Pieces : public Source {
 public:
  explicit Pieces(std::vector<std::string> pieces) : pieces_(std::move(pieces)) {}
  std::string_view piece() override {
    return next_ < pieces_.size() ? std::string_view(pieces_[next_++]) : std::string_view();
  }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
};

std::string all_of(Source& source) {
  return whole_text(source, UINT64_MAX, "source");
}

TEST(FileSources, GiveTheWholeFileAndKnowWhereItLies) {
  const TemporaryFolder folder;
  const std::string bytes(700'000, 'x');
  const auto source = file_source(folder.write("a", bytes));
  ASSERT_TRUE(source->range().has_value());
  EXPECT_EQ(source->range()->size, bytes.size());
  EXPECT_EQ(all_of(*source), bytes);
  EXPECT_TRUE(source->piece().empty());
}

TEST(FileSources, AreRefusedForWhatIsNoRegularFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(thrown_by([&] { file_source(folder.path()); }).code(), ErrorCode::bad_bundle);
  thrown_by([&] { file_source(folder / "none"); });
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(thrown_by([&] { file_source(folder / "pipe"); }).message(),
              HasSubstr("is not a regular file"));
}

TEST(FileSources, TellOfAFileThatShrinksWhileItIsRead) {
  const TemporaryFolder folder;
  const auto file = folder.write("a", std::string(600'000, 'x'));
  const auto source = file_source(file);
  ASSERT_FALSE(source->piece().empty());
  ASSERT_EQ(::truncate(file.c_str(), 10), 0);
  const Error error = thrown_by([&] { drain(*source); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("truncated"));
}

TEST(RangeSources, GiveTheirStretchAlone) {
  const TemporaryFolder folder;
  const auto whole = file_source(folder.write("a", "beforeMIDDLEafter"));
  const auto part = range_source({whole->range()->file, 6, 6}, "a");
  EXPECT_EQ(all_of(*part), "MIDDLE");
}

TEST(SourceReaders, TakeAsMuchAsIsWantedWhateverThePieces) {
  Pieces pieces({"ab", "c", "defgh", "i"});
  SourceReader reader(pieces);
  EXPECT_EQ(reader.read(4), "abcd");
  EXPECT_EQ(reader.position(), 4U);
  EXPECT_EQ(reader.some(2), "ef");
  EXPECT_EQ(reader.read(100), "ghi");
  EXPECT_EQ(reader.position(), 9U);
  EXPECT_EQ(reader.some(1), "");
}

TEST(NextBytes, EndWhereTheyShouldAndLeaveTheRest) {
  Pieces pieces({"abc", "def"});
  SourceReader reader(pieces);
  const auto part = next_bytes(reader, 4, "part");
  EXPECT_EQ(all_of(*part), "abcd");
  EXPECT_EQ(reader.read(10), "ef");
}

TEST(NextBytes, ThatAreNotThereAreMissed) {
  Pieces pieces({"abc"});
  SourceReader reader(pieces);
  const auto part = next_bytes(reader, 4, "part.deb");
  const Error error = thrown_by([&] { drain(*part); });
  EXPECT_EQ(error.code(), ErrorCode::bad_package);
  EXPECT_THAT(error.message(), HasSubstr("'part.deb': truncated"));
}

TEST(PeekedSources, GiveAgainWhatWasLookedAt) {
  PeekedSource source(std::make_unique<Pieces>(std::vector<std::string>{"ab", "cdef", "gh"}));
  EXPECT_EQ(source.peek(3), "abc");
  EXPECT_EQ(source.peek(5), "abcde");
  EXPECT_EQ(all_of(source), "abcdefgh");
}

TEST(PeekedSources, MayBeShorterThanWanted) {
  PeekedSource source(std::make_unique<Pieces>(std::vector<std::string>{"ab"}));
  EXPECT_EQ(source.peek(100), "ab");
  EXPECT_EQ(all_of(source), "ab");
  PeekedSource empty(std::make_unique<Pieces>(std::vector<std::string>{}));
  EXPECT_EQ(empty.peek(100), "");
  EXPECT_EQ(all_of(empty), "");
}

TEST(ObservedSources, ShowEveryByteOnce) {
  std::string seen;
  Pieces pieces(std::vector<std::string>{"ab", "c"});
  ObservedSource source(pieces, [&](std::string_view bytes) { seen.append(bytes); });
  EXPECT_EQ(all_of(source), "abc");
  EXPECT_EQ(seen, "abc");
}

TEST(RemainingBytes, AreAllThatIsStillToCome) {
  Pieces pieces(std::vector<std::string>{"ab", "cd", "e"});
  SourceReader reader(pieces);
  EXPECT_EQ(reader.read(3), "abc");
  EXPECT_EQ(all_of(*remaining_bytes(reader)), "de");
}

TEST(WholeTexts, AreBounded) {
  const auto exact = text_source("12345");
  EXPECT_EQ(whole_text(*exact, 5, "a"), "12345");
  const auto more = text_source("123456");
  EXPECT_EQ(thrown_by([&] { whole_text(*more, 5, "a"); }).code(), ErrorCode::bad_package);
}

}  // namespace
}  // namespace topsctl
