// A receiver that may take files and nothing else, as the forced command of a log-in.
#include "topsctl/engine/transfer/receiver.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/no_sigpipe.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/relay_messages.hpp"
#include "topsctl/engine/remote/run_messages.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/pipe.hpp"

namespace topsctl {
namespace {

class Heard : public FrameHandler {
 public:
  void on_frame(FrameKind kind, std::string_view payload) override {
    kinds += static_cast<char>(kind);
    last = payload;
  }
  void on_chunk_begin(const ChunkPlace& /*place*/, std::uint64_t /*size*/) override {}
  void on_chunk_bytes(std::string_view /*piece*/) override {}
  void on_chunk_end() override {}

  std::string kinds;
  std::string last;
};

class ReceiversOfFilesOnly : public testing::Test {
 protected:
  ReceiversOfFilesOnly() {
    host.clock = &clock;
    host.environment = {{"HOME", folder.make_folder("home").string()},
                        {"SSH_CONNECTION", "127.0.0.1 1 127.0.0.1 22"}};
  }

  // What is answered to a frame, after the welcome.
  Heard answer_to(const std::string& frame) {
    Pipe input = make_pipe();
    Pipe output = make_pipe();
    write_all(input.write_end, frame, "the pipe");
    input.write_end.close();
    serve_transfer(host, input.read_end, output.write_end, folder / "drop");
    output.write_end.close();
    Heard heard;
    FrameParser parser(heard);
    std::string piece(65536, '\0');
    for (ssize_t got = 1; got > 0;) {
      got = ::read(output.read_end.get(), piece.data(), piece.size());
      if (got > 0) parser.take({piece.data(), static_cast<std::size_t>(got)});
    }
    return heard;
  }
  std::string kinds_for_destination(const std::string& path) {
    TransferManifest manifest;
    manifest.destination = path;
    return answer_to(json_frame(FrameKind::manifest, manifest_json(manifest))).kinds;
  }
  std::string kinds_for_store(const std::filesystem::path& path) {
    TransferManifest manifest;
    manifest.store = path.string();
    return answer_to(json_frame(FrameKind::join, join_json(manifest))).kinds;
  }

  const NoSigpipe no_sigpipe;
  const TemporaryFolder folder;
  SystemClock clock;
  Host host;
};

TEST_F(ReceiversOfFilesOnly, FillNothingButTheirFolder) {
  const std::string drop = (folder / "drop").string();
  EXPECT_EQ(kinds_for_destination(drop), "WS");
  EXPECT_EQ(kinds_for_destination(drop + "/below/"), "WS");
  for (const std::string& path :
       {drop + "/../home/.ssh", drop + "s", (folder / "home/.ssh").string(), std::string("/")})
    EXPECT_EQ(kinds_for_destination(path), "WE") << path;
  EXPECT_FALSE(std::filesystem::exists(folder / "home/.ssh"));
}

TEST_F(ReceiversOfFilesOnly, KeepWhatComesOnlyWhereTheyWouldThemselves) {
  EXPECT_EQ(kinds_for_store(folder / "home/.cache/topsctl/received"), "Wj");
  EXPECT_EQ(kinds_for_store(folder / "drop/.topsctl"), "Wj");
  EXPECT_EQ(kinds_for_store(folder / "home/.ssh"), "WE");
}

TEST_F(ReceiversOfFilesOnly, RunNothing) {
  const RemoteRunRequest request{std::string(32, 'a'), {"version"}, RunAs::login, 0};
  const Heard heard = answer_to(json_frame(FrameKind::run, to_json(request)));
  EXPECT_EQ(heard.kinds, "WE");
  EXPECT_EQ(parse_failure(heard.last).code(), ErrorCode::permission);
  EXPECT_FALSE(std::filesystem::exists(folder / "home/.cache/topsctl/runs"));
}

TEST_F(ReceiversOfFilesOnly, SpeakToNoOtherHost) {
  const std::string key(32, 'k');
  const Heard listening = answer_to(json_frame(FrameKind::listen, to_json(LinkWish{key})));
  EXPECT_EQ(listening.kinds, "Wl");
  EXPECT_EQ(parse_listening(listening.last).address, "");
  const Heard fed =
      answer_to(json_frame(FrameKind::feed, to_json(RelayFeed{"127.0.0.1", 1, key, {}})));
  EXPECT_EQ(fed.kinds, "Wg");
  EXPECT_NE(parse_fed(fed.last), "");
}

}  // namespace
}  // namespace topsctl
