// One host of a relay by itself: whom it sends to, and what it tells of that.
#include "engine/transfer/relay_end.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "support/certified_server.hpp"
#include "support/no_sigpipe.hpp"
#include "support/temporary_folder.hpp"
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

}  // namespace
}  // namespace topsctl
