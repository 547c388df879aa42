// Transfers to a double of another machine by a link beside the connection that it is told over.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "support/no_sigpipe.hpp"
#include "support/remote_end.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/engine/transfer/upload.hpp"

namespace topsctl {
namespace {

constexpr std::size_t chunks = 3;
// Leads here, but is no address that a host has.
constexpr const char* other_host = "0.0.0.0";

class DirectUploads : public testing::Test {
 protected:
  DirectUploads() : far(folder.make_folder("home")) {
    for (std::size_t i = 0; i < chunks; ++i)
      content += std::string(chunk_bytes, static_cast<char>('a' + i));
    const auto file = folder.write("a.deb", content);
    const ChunkList list = read_chunks(file);
    transfer_set.files.push_back({file, "a.deb", list, content_id(list), ""});
    request.target = parse_target("node2");
    request.destination = (folder / "dest").string();
    far.be_reached_at(other_host);
    request.direct.when = DirectWish::When::automatic;
  }

  Upload run(UploadProgress on_progress = [](std::uint64_t, std::uint64_t) {}) {
    return run(std::move(on_progress), limit);
  }
  Upload run(UploadProgress on_progress, RateLimit& slow) {
    Upload done = upload({.remote = far,
                          .program = program,
                          .files = transfer_set,
                          .request = request,
                          .limit = slow,
                          .clock = clock,
                          .on_progress = std::move(on_progress)});
    EXPECT_EQ(TemporaryFolder::read_bytes(folder / "dest/a.deb"), content);
    EXPECT_GE(done.files.at(0).sent_bytes, content.size());
    EXPECT_EQ(done.retries, 0U);
    return done;
  }
  // Both ends of all links are of this process.
  static void break_links() {
    constexpr int most_descriptors = 1024;
    for (int each = 3; each < most_descriptors; ++each) {
      sockaddr_in peer{};
      socklen_t size = sizeof peer;
      if (::getpeername(each, reinterpret_cast<sockaddr*>(&peer), &size) == 0 &&
          peer.sin_family == AF_INET)
        ::shutdown(each, SHUT_RDWR);
    }
  }

  const NoSigpipe no_sigpipe;
  TemporaryFolder folder;
  std::string content;
  SystemClock clock;
  AgentEnd far;
  TransferSet transfer_set;
  UploadRequest request;
  RateLimit limit{0};
  const CarriedProgram program{"/bin/true", std::string(64, '0'), 0};
};

TEST_F(DirectUploads, GoByALinkOfTheirOwn) {
  request.direct.when = DirectWish::When::always;
  EXPECT_TRUE(run().direct);
  EXPECT_LT(far.faults.written_bytes, chunk_bytes) << "over the connection itself";
}

TEST_F(DirectUploads, GoOverTheConnectionWhereTheyMayNot) {
  request.direct.when = DirectWish::When::never;
  EXPECT_FALSE(run().direct);
}

TEST_F(DirectUploads, GoOverTheConnectionWhereNoAddressIsKnown) {
  far.be_reached_at("");
  EXPECT_FALSE(run().direct);
}

// What listens at a port of this host is not for the far end to choose.
TEST_F(DirectUploads, GoOverTheConnectionWhereItLeadsToThisHost) {
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    far.be_reached_at(address);
    std::filesystem::remove_all(folder / "dest");
    std::filesystem::remove_all(folder / "home");
    folder.make_folder("home");
    EXPECT_FALSE(run().direct) << address;
  }
}

TEST_F(DirectUploads, GoToThisHostIfTheyAreToBeDirect) {
  far.be_reached_at("127.0.0.1");
  request.direct.when = DirectWish::When::always;
  EXPECT_TRUE(run().direct);
}

TEST_F(DirectUploads, GoOverTheConnectionWhereTheFarEndCannotWait) {
  far.forget_address();
  EXPECT_FALSE(run().direct);
}

TEST_F(DirectUploads, GoOverTheConnectionWhereThePortIsClosed) {
  far.be_reached_at("127.0.0.2");
  EXPECT_FALSE(run().direct);
}

TEST_F(DirectUploads, GoOverTheConnectionWhereTheFarEndExpectsAnotherAddress) {
  far.come_from("127.0.0.9");
  EXPECT_FALSE(run().direct);
}

TEST_F(DirectUploads, GoOnOverTheConnectionWhenTheLinkBreaks) {
  bool is_broken = false;
  // What the first answer finds under way is not there yet.
  RateLimit slow(2 * chunk_bytes);
  const Upload done = run(
      [&](std::uint64_t verified, std::uint64_t) {
        if (verified == 0 || std::exchange(is_broken, true)) return;
        break_links();
      },
      slow);
  EXPECT_TRUE(is_broken);
  EXPECT_GE(far.faults.written_bytes, chunk_bytes);
}

TEST_F(DirectUploads, FailWhereTheyAreToBeDirectAndCannot) {
  request.direct.when = DirectWish::When::always;
  EXPECT_TRUE(run().direct);
  for (const char* address : {"", "127.0.0.2"}) {
    far.be_reached_at(address);
    folder.write("a.deb", content);
    std::filesystem::remove_all(folder / "home");
    folder.make_folder("home");
    EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::unreachable);
  }
}

}  // namespace
}  // namespace topsctl
