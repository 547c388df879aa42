// This machine as if it were another one.
#include "topsctl/host/network/local_remote.hpp"

#include <gtest/gtest.h>

#include "support/no_sigpipe.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

class LocalRemotes : public testing::Test {
 protected:
  LocalRemotes() : remote(local_remote({{"PATH", "/usr/bin:/bin"}, {"WORD", "sesame"}})) {
    session = remote->connect();
  }

  std::string all_of(RemoteStream& stream) {
    std::string text;
    for (;;) {
      const auto piece = stream.read(60'000);
      if (!piece || piece->empty()) return text;
      text += *piece;
    }
  }

  const NoSigpipe no_sigpipe;
  std::unique_ptr<Remote> remote;
  std::unique_ptr<RemoteSession> session;
};

TEST_F(LocalRemotes, RunCommandLines) {
  const auto stream = session->start("echo $WORD; exit 3");
  EXPECT_EQ(all_of(*stream), "sesame\n");
  EXPECT_EQ(stream->finish().status, 3);
}

TEST_F(LocalRemotes, CarryMoreThanAPipeHolds) {
  const auto stream = session->start("wc -c; echo oops >&2");
  stream->write(std::string(1'000'000, 'x'));
  stream->end_input();
  EXPECT_EQ(all_of(*stream), "1000000\n");
  EXPECT_EQ(stream->finish().errors, "oops\n");
}

TEST_F(LocalRemotes, DoNotWaitForeverForWords) {
  const auto stream = session->start("exec sleep 1000");
  EXPECT_FALSE(stream->read(0));
}

TEST_F(LocalRemotes, NoticeAProgramThatIsGone) {
  const auto stream = session->start("echo gone >&2; exec true");
  EXPECT_EQ(all_of(*stream), "");
  EXPECT_EQ(thrown_by([&] { stream->write(std::string(1'000'000, 'x')); }).code(),
            ErrorCode::unreachable);
}

}  // namespace
}  // namespace topsctl
