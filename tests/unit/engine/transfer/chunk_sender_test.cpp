// Senders that wait for others, and for a far end that says nothing.
#include "engine/transfer/chunk_sender.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

// Says that topsctl runs there, and nothing more.
class SilentStream : public RemoteStream {
 public:
  SilentStream(std::string greeting, unsigned& reads, std::function<void()>& on_silence,
               const std::string& again)
      : said_(std::move(greeting)), reads_(reads), on_silence_(on_silence), again_(again) {}
  void write(std::string_view /*bytes*/) override {}
  std::optional<std::string> read(std::int64_t timeout_ms) override {
    if (!said_.empty()) return std::exchange(said_, "");
    if (timeout_ms == 0) return std::nullopt;
    ++reads_;
    if (!again_.empty()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return again_;
    }
    const std::jthread other(on_silence_);
    pollfd watched = {waker(), POLLIN, 0};
    ::poll(&watched, 1, WaitLimit(timeout_ms).poll_timeout());
    return std::nullopt;
  }
  void end_input() override {}
  RemoteEnd finish() override { return {0, ""}; }

 private:
  std::string said_;
  unsigned& reads_;
  std::function<void()>& on_silence_;
  const std::string& again_;
};

class SilentSession : public RemoteSession {
 public:
  std::unique_ptr<RemoteStream> start(const std::string& command_line) override {
    const std::size_t at = command_line.find("topsctl-", command_line.find("echo "));
    const std::string token = command_line.substr(at, command_line.find(' ', at) - at);
    return std::make_unique<SilentStream>(concat(token, " run\n"), reads, on_silence, again);
  }
  unsigned reads = 0;                // that waited
  std::function<void()> on_silence;  // called in a thread of its own meanwhile
  std::string again;                 // sent again and again in place of silence
};

class ChunkSenders : public testing::Test {
 protected:
  TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_.write("a.deb", "content");
  const ShippedFile file_{path_, "a.deb", read_chunks(path_), "", ""};
  std::vector<ShippedObject> objects_{ShippedObject{&file_}};
  UploadProgress no_progress_ = [](std::uint64_t, std::uint64_t) {};
  ChunkWork work_{objects_, RemoteState{"", 0, {ObjectState{false, {std::nullopt}}}}, no_progress_};
  SilentSession session_;
  Target target_ = parse_target("node1");
  RemoteAgent far_{session_, target_, {"/bin/true", std::string(64, '0'), 0}, "receive"};
  RateLimit limit_{0};
};

TEST_F(ChunkSenders, SleepUntilAnotherOneHasFailed) {
  session_.on_silence = [&] { work_.fail(); };
  ChunkSender(far_, work_, limit_, nullptr).send();
  EXPECT_EQ(session_.reads, 1U);
  EXPECT_EQ(objects_[0].sent_bytes, 7U);
}

TEST_F(ChunkSenders, GiveUpAFarEndThatAcknowledgesNothing) {
  session_.on_silence = [] {};
  ChunkSender sender(far_, work_, limit_, nullptr, std::chrono::milliseconds(20));
  const Error error = thrown_by([&] { sender.send(); });
  EXPECT_THAT(error.message(), HasSubstr("acknowledges nothing"));
  EXPECT_GE(session_.reads, 1U);
}

TEST_F(ChunkSenders, GiveUpAFarEndThatSaysOnlyThatItIsThere) {
  session_.again = frame(FrameKind::welcome, "");
  ChunkSender sender(far_, work_, limit_, nullptr, std::chrono::milliseconds(50));
  EXPECT_THAT(thrown_by([&] { sender.send(); }).message(), HasSubstr("acknowledges nothing"));
  EXPECT_THAT(thrown_by([&] { sender.expect(FrameKind::done, 50); }).message(),
              HasSubstr("does not respond"));
}

TEST_F(ChunkSenders, GiveUpAMemberOfARelayThatAcknowledgesNothing) {
  const SystemClock clock;
  RelayChain chain(clock);
  const auto member = chain.join("first");
  session_.on_silence = [] {};
  ChunkSender sender(far_, work_, limit_, member.get(), std::chrono::milliseconds(20));
  EXPECT_THAT(thrown_by([&] { sender.send(); }).message(), HasSubstr("acknowledges nothing"));
}

TEST_F(ChunkSenders, SendWhatAnotherOnePutsBack) {
  const std::set<ChunkPlace> taken = work_.take_all();
  ASSERT_EQ(taken.size(), 1U);
  session_.on_silence = [&] { work_.fail(); };
  std::jthread other([&] { work_.put_back(taken); });
  ChunkSender(far_, work_, limit_, nullptr).send();
  EXPECT_EQ(objects_[0].sent_bytes, 7U);
}

TEST_F(ChunkSenders, WakeForTheOneBehindThemInAChain) {
  const SystemClock clock;
  RelayChain chain(clock);
  const auto first = chain.join("first");
  const auto second = chain.join("second");
  session_.on_silence = [&] { second->let_go(); };
  ChunkSender(far_, work_, limit_, first.get()).serve_follower();
  EXPECT_EQ(session_.reads, 1U);
  EXPECT_FALSE(first->has_follower());
}

}  // namespace
}  // namespace topsctl
