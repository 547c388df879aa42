// Feeds bytes to the parser of frames in different pieces, and each frame to whoever reads its
// JSON.
#include <nlohmann/json.hpp>
#include <string>

#include "pieces.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/relay_messages.hpp"
#include "topsctl/engine/remote/run_messages.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/engine/remote/wire.hpp"

namespace {

using namespace topsctl;

template <class Call>
void attempt(const Call& call) {
  try {
    call();
  } catch (const Error&) {
    // Refused, as it should be.
  }
}

class Heard : public FrameHandler {
 public:
  void on_frame(FrameKind kind, std::string_view payload) override {
    text += concat(static_cast<char>(kind), payload, ";");
    attempt([&] { parse_ack(payload); });
    attempt([&] {
      const TransferManifest manifest = parse_manifest_frame(payload);
      fuzz::expect(parse_manifest_frame(to_line(manifest_json(manifest))) == manifest);
    });
    attempt([&] { parse_join_frame(payload); });
    attempt([&] { parse_state(payload, {{std::string(64, 'a'), 5}, {std::string(64, 'b'), 0}}); });
    attempt([&] { parse_welcome(payload); });
    attempt([&] { parse_done(payload); });
    attempt([&] { parse_run_end(payload); });
    attempt([&] {
      const RemoteRunRequest request = parse_run_frame(payload);
      fuzz::expect(parse_run_frame(to_line(to_json(request))) == request);
    });
    attempt([&] { parse_listen_frame(payload); });
    attempt([&] {
      const RelayFeed feed = parse_feed_frame(payload);
      fuzz::expect(parse_feed_frame(to_line(to_json(feed))) == feed);
    });
    attempt([&] {
      const RelayListening listening = parse_listening(payload);
      fuzz::expect(parse_listening(to_line(to_json(listening))) == listening);
    });
    attempt([&] { parse_fed(payload); });
    parse_failure(payload);
  }
  void on_chunk_begin(const ChunkPlace& place, std::uint64_t size) override {
    text += concat("C", place.object, ".", place.chunk, "/", size, ":");
    fuzz::expect(size > 0 && size <= chunk_bytes);
    left_ = size;
  }
  void on_chunk_bytes(std::string_view piece) override {
    text += piece;
    fuzz::expect(piece.size() <= left_);
    left_ -= piece.size();
  }
  void on_chunk_end() override { fuzz::expect(left_ == 0); }

  std::string text;

 private:
  std::uint64_t left_ = 0;
};

// What was heard, and whether the bytes were refused.
std::string heard_from(std::string_view bytes, unsigned shape) {
  Heard heard;
  FrameParser parser(heard);
  fuzz::Pieces pieces(bytes, shape);
  try {
    for (std::string_view piece = pieces.piece(); !piece.empty(); piece = pieces.piece())
      parser.take(piece);
  } catch (const Error& error) {
    fuzz::expect_told(error);
    heard.text += "refused";
  }
  return heard.text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes = fuzz::text_of(data, size);
  const unsigned shape = fuzz::choice(bytes);
  fuzz::expect(heard_from(bytes, 0) == heard_from(bytes, shape));
  return 0;
}
