// Transfers to a double of another machine that is fed by another one, which the test plays: an
// honest one, one that lies, and one that breaks off.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/link_text.hpp"
#include "support/no_sigpipe.hpp"
#include "support/remote_end.hpp"
#include "support/temporary_folder.hpp"
#include "topsctl/engine/transfer/upload.hpp"
#include "topsctl/host/network/psk_tls.hpp"

namespace topsctl {
namespace {

constexpr std::size_t relayed_chunks = 3;

std::string content() {
  std::string bytes;
  for (std::size_t i = 0; i < relayed_chunks; ++i)
    bytes += std::string(chunk_bytes, static_cast<char>('a' + i));
  return bytes;
}

class RelayedUploads : public testing::Test {
 protected:
  RelayedUploads() : far(folder.make_folder("home")), head(chain.join("head")) {
    const auto file = folder.write("a.deb", content());
    const ChunkList list = read_chunks(file);
    transfer_set.files.push_back({file, "a.deb", list, content_id(list), ""});
    request.target = parse_target("node2");
    request.destination = (folder / "dest").string();
    request.relay = &chain;
    request.direct.when = DirectWish::When::never;
    far.be_reached_at("127.0.0.1");
  }

  // Uploads while `feed` does what the head was asked for; what came of it, which must be right.
  UploadedFile run(const std::function<void(const RelayFeed&)>& feed) {
    std::atomic<bool> is_over = false;
    std::thread feeder([&] {
      while (!is_over) {
        if (const auto wanted = head->request()) feed(*wanted);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    const Upload done = upload(job([](std::uint64_t, std::uint64_t) {}));
    is_over = true;
    feeder.join();
    EXPECT_EQ(TemporaryFolder::read_bytes(folder / "dest/a.deb"), content());
    EXPECT_EQ(done.retries, 0U);
    EXPECT_FALSE(head->has_follower());
    return done.files.at(0);
  }

  UploadJob job(UploadProgress on_progress) {
    return {.remote = far,
            .program = program,
            .files = transfer_set,
            .request = request,
            .limit = limit,
            .clock = clock,
            .on_progress = std::move(on_progress)};
  }

  static std::unique_ptr<PskTlsLink> link_to(const RelayFeed& feed) {
    return PskTlsLink::connect(feed.address, feed.port, feed.key, std::chrono::seconds(5));
  }
  static void send_chunk(PskTlsLink& link, std::uint64_t chunk, const std::string& bytes) {
    link.write(chunk_head({0, chunk}, chunk_bytes));
    link.write(bytes);
  }
  static std::string chunk_of(std::uint64_t chunk) {
    return content().substr(chunk * chunk_bytes, chunk_bytes);
  }

  const NoSigpipe no_sigpipe;
  TemporaryFolder folder;
  SystemClock clock;
  RelayChain chain{clock};
  AgentEnd far;
  std::unique_ptr<RelayMember> head;
  TransferSet transfer_set;
  UploadRequest request;
  RateLimit limit{0};
  const CarriedProgram program{"/bin/true", std::string(64, '0'), 0};
};

TEST_F(RelayedUploads, TakeEverythingFromTheOneBefore) {
  const UploadedFile file = run([](const RelayFeed& feed) {
    EXPECT_EQ(feed.chunks.size(), relayed_chunks);
    const auto link = link_to(feed);
    for (std::uint64_t i = relayed_chunks; i-- > 0;) send_chunk(*link, i, chunk_of(i));
    link->finish();
  });
  EXPECT_EQ(file.sent_bytes, 0U);
  EXPECT_EQ(file.relayed_bytes, content().size());
}

TEST_F(RelayedUploads, TakeNothingMoreFromOneThatLied) {
  const UploadedFile file = run([](const RelayFeed& feed) {
    const auto link = link_to(feed);
    send_chunk(*link, 0, chunk_of(0));
    send_chunk(*link, 1, std::string(chunk_bytes, '!'));
  });
  EXPECT_EQ(file.relayed_bytes, chunk_bytes);
  EXPECT_EQ(file.sent_bytes, 2 * chunk_bytes);
}

TEST_F(RelayedUploads, KeepWhatWasVerifiedWhereItComesTwice) {
  const UploadedFile file = run([this](const RelayFeed& feed) {
    const auto link = link_to(feed);
    send_chunk(*link, 0, chunk_of(0));
    EXPECT_THROW(for (int i = 0; i < 100; ++i) send_chunk(*link, 0, std::string(chunk_bytes, '!')),
                 ConnectionLost)
        << "the link ends";
    head->tell_broken_feed();
  });
  EXPECT_EQ(file.relayed_bytes, chunk_bytes);
  EXPECT_EQ(file.sent_bytes, 2 * chunk_bytes);
}

TEST_F(RelayedUploads, MakeTheFeederConnectToNoAddressOfItsOwn) {
  far.be_reached_at("10.0.0.2");
  const UploadedFile file = run([](const RelayFeed& feed) { ADD_FAILURE() << feed.address; });
  EXPECT_EQ(file.sent_bytes, content().size());
}

TEST_F(RelayedUploads, SendWhatABrokenLinkDidNotBring) {
  const UploadedFile file = run([this](const RelayFeed& feed) {
    {
      const auto link = link_to(feed);
      send_chunk(*link, 2, chunk_of(2));
      link->write(chunk_head({0, 0}, chunk_bytes));
      link->write("only the beginning");
    }
    head->tell_broken_feed();
  });
  EXPECT_EQ(file.sent_bytes + file.relayed_bytes, content().size());
}

TEST_F(RelayedUploads, SendEverythingWhereTheLinkBringsNonsense) {
  const UploadedFile file = run([this](const RelayFeed& feed) {
    const auto link = link_to(feed);
    link->write(frame(FrameKind::finish, ""));
    head->tell_broken_feed();
  });
  EXPECT_EQ(file.relayed_bytes, 0U);
  EXPECT_EQ(file.sent_bytes, content().size());
}

TEST_F(RelayedUploads, SendEverythingToOneThatCannotBeReached) {
  far.forget_address();
  const UploadedFile file = run([](const RelayFeed&) { ADD_FAILURE() << "nobody was to ask"; });
  EXPECT_EQ(file.sent_bytes, content().size());
}

TEST_F(RelayedUploads, StayForTheOneBehind) {
  head.reset();
  request.relay = &chain;
  std::unique_ptr<RelayMember> behind;
  std::string brought;
  std::thread follower;
  // Once it has something, somebody comes who wants it, and takes it from its link.
  const Upload done = upload(job([&](std::uint64_t verified, std::uint64_t) {
    if (verified == 0 || behind) return;
    behind = chain.join("behind");
    follower = std::thread([&] {
      const std::string key(sealed_key_bytes, 'k');
      PskTlsListener listener({"127.0.0.1", key});
      behind->ask({"127.0.0.1", listener.port(), key, {{0, 0}, {0, 1}, {0, 2}}});
      const auto link = listener.accept();
      brought = all_of(*link);
      behind->let_go();
    });
  }));
  follower.join();
  for (std::uint64_t i = 0; i < relayed_chunks; ++i) {
    EXPECT_NE(brought.find(chunk_head({0, i}, chunk_bytes) + chunk_of(i)), std::string::npos) << i;
  }
  EXPECT_EQ(done.files.at(0).sent_bytes, content().size());
}

}  // namespace
}  // namespace topsctl
