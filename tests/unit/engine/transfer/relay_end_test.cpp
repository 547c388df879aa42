// One host of a relay by itself: whom it sends to, and what it tells of that.
#include "engine/transfer/relay_end.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "support/certified_server.hpp"
#include "support/no_sigpipe.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/digest.hpp"
#include "topsctl/host/system/pipe.hpp"

namespace topsctl {
namespace {

// What comes first.
class FirstFrame : public FrameHandler {
 public:
  void on_frame(FrameKind kind, std::string_view payload) override {
    if (!kind_) kind_ = kind, payload_ = std::string(payload);
  }
  void on_chunk_begin(const ChunkPlace& /*place*/, std::uint64_t /*size*/) override {}
  void on_chunk_bytes(std::string_view /*piece*/) override {}
  void on_chunk_end() override {}

  std::optional<FrameKind> kind_;
  std::string payload_;
};

TEST(RelayFeeders, SendNothingToAServerWithoutTheKeyAndTellThat) {
  const NoSigpipe no_sigpipe;
  const TemporaryFolder folder;
  constexpr std::string_view bytes = "the only chunk";
  const ChunkDigest digest = *bytes_of_hex(sha256_of(bytes));
  std::vector<Incoming> objects;
  objects.push_back({{content_id({bytes.size(), {digest}}), bytes.size()}, std::nullopt});
  Part& part = objects[0].part.emplace(folder.path(), objects[0].object.id, bytes.size());
  part.write(0, bytes);
  part.mark(0, digest);
  part.complete();

  Pipe said = make_pipe();
  AgentVoice voice(said.write_end);
  CertifiedServer server;
  FirstFrame first;
  {
    const RelayFeed feed{"127.0.0.1", server.port(), std::string(sealed_key_bytes, 'k'), {{0, 0}}};
    RelayFeeder feeder(folder.path(), objects, feed, voice);
    FrameParser parser(first);
    std::string piece(4096, '\0');
    while (!first.kind_) {
      const ssize_t got = ::read(said.read_end.get(), piece.data(), piece.size());
      ASSERT_GT(got, 0);
      parser.take({piece.data(), static_cast<std::size_t>(got)});
    }
  }
  EXPECT_EQ(first.kind_, FrameKind::fed);
  EXPECT_NE(parse_fed(first.payload_), "");
  EXPECT_EQ(server.heard(), "");
}

std::string chunk_of(char letter) {
  std::string bytes(chunk_bytes, letter);
  for (std::size_t i = 0; i < bytes.size(); i += interleaved_bytes / 2)
    bytes[i] = static_cast<char>(i / interleaved_bytes);
  return bytes;
}

// An object of two whole chunks and one that is not, and a link to the one who takes them.
class RelayIntakes : public testing::Test {
 protected:
  RelayIntakes() {
    ChunkList list{content.size(), {}};
    for (std::size_t i = 0; i < 3; ++i) {
      digests.push_back(
          *bytes_of_hex(sha256_of(std::string_view(content).substr(i * chunk_bytes, chunk_bytes))));
    }
    list.digests = digests;
    id = content_id(list);
    objects.push_back({{id, content.size()}, std::nullopt});
    objects[0].part.emplace(folder.path(), id, content.size());
    host.environment["SSH_CONNECTION"] = "127.0.0.1 1 127.0.0.1 22";
    const RelayListening there = intake.listen(host, {key});
    EXPECT_EQ(there.lanes, Sha256::lanes());
    link = PskTlsLink::connect(there.address, there.port, key, std::chrono::seconds(5));
  }

  // What was acknowledged once the link has ended in order.
  std::string end_and_hear() {
    link->finish();
    // Stops once nothing more is to come.
    std::string heard(1024, '\0');
    std::size_t got = 0;
    while (got < 3 * ack_frame({{}, digests[0]}).size()) {
      const ssize_t more = ::read(said.read_end.get(), heard.data() + got, heard.size() - got);
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
    intake.stop();
    heard.resize(got);
    return heard;
  }

  const NoSigpipe no_sigpipe;
  const TemporaryFolder folder;
  const std::string content = chunk_of('a') + chunk_of('b') + "the rest";
  const std::string key = std::string(sealed_key_bytes, 'k');
  std::vector<ChunkDigest> digests;
  std::string id;
  std::vector<Incoming> objects;
  Pipe said = make_pipe();
  AgentVoice voice{said.write_end};
  std::mutex writing;
  Host host;
  RelayIntake intake{objects, voice, writing};
  std::unique_ptr<PskTlsLink> link;
};

TEST_F(RelayIntakes, TakeChunksOneByOneAndSideBySide) {
  const std::vector<ChunkPlace> both = {{0, 1}, {0, 0}};
  link->write(chunk_head({0, 2}, 8));
  link->write("the rest");
  link->write(chunks_head(both));
  for (std::size_t at = 0; at < chunk_bytes; at += interleaved_bytes) {
    for (const ChunkPlace& place : both)
      link->write(
          std::string_view(content).substr(place.chunk * chunk_bytes + at, interleaved_bytes));
  }
  EXPECT_EQ(end_and_hear(), ack_frame({{0, 2}, digests[2]}) + ack_frame({{0, 1}, digests[1]}) +
                                ack_frame({{0, 0}, digests[0]}));
  objects[0].part->complete();
  EXPECT_EQ(TemporaryFolder::read_bytes(*object_in(folder.path(), id)), content);
}

TEST_F(RelayIntakes, TakeNoChunkThatIsThere) {
  intake.stop();
  objects[0].part->begin(0);
  objects[0].part->write(0, std::string_view(content).substr(0, chunk_bytes));
  objects[0].part->mark(0, digests[0]);
  const RelayListening there = intake.listen(host, {key});
  link = PskTlsLink::connect(there.address, there.port, key, std::chrono::seconds(5));
  const Error refused = thrown_by([&] {
    link->write(chunk_head({0, 0}, chunk_bytes));
    for (int i = 0; i < 8; ++i) link->write(std::string(chunk_bytes, 'x'));
  });
  intake.stop();
  said.write_end = Descriptor();
  std::string heard(16, '\0');
  EXPECT_EQ(::read(said.read_end.get(), heard.data(), heard.size()), 0);
  EXPECT_EQ(objects[0].part->verified()[0], digests[0]);
}

TEST_F(RelayIntakes, AcknowledgeNothingOfChunksThatAreNotWhole) {
  const std::vector<ChunkPlace> both = {{0, 0}, {0, 1}};
  link->write(chunks_head(both));
  link->write(std::string_view(content).substr(0, chunk_bytes));
  link->finish();
  intake.stop();
  said.write_end = Descriptor();
  std::string heard(16, '\0');
  EXPECT_EQ(::read(said.read_end.get(), heard.data(), heard.size()), 0);
}

}  // namespace
}  // namespace topsctl
