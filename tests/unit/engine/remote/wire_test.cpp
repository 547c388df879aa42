// Frames, in whatever pieces they come, and what is no frame.
#include "topsctl/engine/remote/wire.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/memory_search.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

class Listener : public FrameHandler {
 public:
  void on_frame(FrameKind kind, std::string_view payload) override {
    heard += concat(static_cast<char>(kind), ":", payload, ";");
  }
  void on_chunk_begin(const ChunkPlace& place, std::uint64_t size) override {
    heard += concat("C", place.object, ".", place.chunk, "/", size, ":");
  }
  void on_chunk_bytes(std::string_view piece) override { heard += piece; }
  void on_chunk_end() override { heard += ";"; }

  std::string heard;
};

std::string stream_of_all_sorts() {
  return concat(frame(FrameKind::listen, "x"), json_frame(FrameKind::manifest, {{"a", 1}}),
                chunk_head({7, 1ULL << 33U}, 5), "bytes", frame(FrameKind::finish, ""));
}
constexpr const char* all_sorts = "L:x;M:{\"a\":1};C7.8589934592/5:bytes;F:;";

TEST(Frames, AreTheSameInWhateverPieces) {
  const std::string stream = stream_of_all_sorts();
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    Listener listener;
    FrameParser parser(listener);
    for (std::size_t at = 0; at < stream.size(); at += piece)
      parser.take(std::string_view(stream).substr(at, piece));
    EXPECT_EQ(listener.heard, all_sorts) << piece;
  }
}

TEST(Frames, ThatAreCutOffAreNotHandedOn) {
  const std::string stream = frame(FrameKind::event, "whole");
  Listener listener;
  FrameParser parser(listener);
  parser.take(std::string_view(stream).substr(0, stream.size() - 1));
  EXPECT_EQ(listener.heard, "");
}

TEST(Frames, WithASecretAreWipedOnceTheyWereHandedOn) {
  class Deaf : public Listener {
    void on_frame(FrameKind kind, std::string_view payload) override {
      is_heard = kind == FrameKind::secret && payload.size() == SoughtText::length;
    }

   public:
    bool is_heard = false;
  } deaf;
  FrameParser parser(deaf);
  Secret secret = SoughtText::as_secret();
  parser.take(frame_head(FrameKind::secret, secret.view().size()));
  parser.take(secret.view().substr(0, 150));
  parser.take(secret.view().substr(150));
  EXPECT_TRUE(deaf.is_heard);
  secret = Secret();
  EXPECT_EQ(SoughtText::copies(), 0U);
}

TEST(Frames, OfNoKindOrTooLongAreRefused) {
  const std::string long_frame = concat("M", std::string("\x01\x00\x00\x01", 4));
  const std::string empty_chunk = chunk_head({0, 0}, 0);
  const std::string long_chunk = chunk_head({0, 0}, chunk_bytes + 1);
  const std::string long_secret = frame_head(FrameKind::secret, 4097);
  for (const std::string& bytes : {std::string("Hello"), std::string(5, '\0'), long_frame,
                                   empty_chunk, long_chunk, long_secret}) {
    Listener listener;
    FrameParser parser(listener);
    EXPECT_EQ(thrown_by([&] { parser.take(bytes); }).code(), ErrorCode::unreachable);
  }
}

TEST(LinkFrames, TellHowManyChunksComeAndOfWhatSize) {
  const std::vector<ChunkPlace> places = {{1, 2}, {3, 1ULL << 33U}};
  const std::string single = chunk_head(places[0], 5);
  const std::string several = chunks_head(places);
  const auto head = [](std::string_view text) { return text.substr(0, LinkFrame::head_bytes); };
  EXPECT_EQ(LinkFrame::parse(head(single)).chunks, 1U);
  EXPECT_EQ(LinkFrame::parse(head(single)).size, 5U);
  EXPECT_EQ(LinkFrame::parse(head(several)).chunks, 2U);
  EXPECT_EQ(LinkFrame::parse(head(several)).size, chunk_bytes);
  EXPECT_EQ(LinkFrame::parse_place(several.substr(LinkFrame::head_bytes + LinkFrame::place_bytes)),
            places[1]);
}

TEST(LinkFrames, OfAnythingElseAreRefused) {
  const std::vector<ChunkPlace> one(1);
  const std::vector<ChunkPlace> too_many(most_interleaved + 1);
  for (const std::string& head :
       {frame_head(FrameKind::finish, 0), frame_head(FrameKind::chunk, LinkFrame::place_bytes),
        frame_head(FrameKind::chunk, LinkFrame::place_bytes + chunk_bytes + 1),
        frame_head(FrameKind::chunks, 2 * (LinkFrame::place_bytes + chunk_bytes) + 1),
        chunks_head(one).substr(0, LinkFrame::head_bytes),
        chunks_head(too_many).substr(0, LinkFrame::head_bytes), std::string("C")}) {
    EXPECT_EQ(thrown_by([&] { LinkFrame::parse(head); }).code(), ErrorCode::unreachable);
  }
  EXPECT_EQ(thrown_by([] { LinkFrame::parse_place("short"); }).code(), ErrorCode::unreachable);
}

TEST(Frames, OfSeveralChunksComeOverLinksAlone) {
  Listener listener;
  FrameParser parser(listener);
  const std::vector<ChunkPlace> two(2);
  EXPECT_EQ(thrown_by([&] { parser.take(chunks_head(two)); }).code(), ErrorCode::unreachable);
}

TEST(Acknowledgements, ComeBackAsTheyWere) {
  const Ack ack{{3, 99}, std::string(32, '\x7f')};
  Listener listener;
  FrameParser parser(listener);
  parser.take(ack_frame(ack));
  const Ack read = parse_ack(std::string_view(listener.heard).substr(2, listener.heard.size() - 3));
  EXPECT_EQ(read.place, ack.place);
  EXPECT_EQ(read.digest, ack.digest);
}

TEST(Acknowledgements, OfAnotherLengthAreNone) {
  EXPECT_EQ(thrown_by([] { parse_ack("short"); }).code(), ErrorCode::unreachable);
}

}  // namespace
}  // namespace topsctl
