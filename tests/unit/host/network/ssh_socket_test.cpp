// Waits on sockets end.
#include "host/network/ssh_socket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "topsctl/host/network/remote.hpp"

namespace topsctl {
namespace {

TEST(SocketDeadlines, EndAReadThatWouldNotEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const SocketDeadline deadline(ends[0], std::chrono::milliseconds(20));
  char byte = 0;
  EXPECT_EQ(::read(ends[0], &byte, 1), 0);
  EXPECT_TRUE(deadline.is_over());
  for (const int end : ends) ::close(end);
}

TEST(SocketDeadlines, GiveNoticeOnceOfWhatIsSlow) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  int notices = 0;
  {
    const SocketDeadline deadline(ends[0], std::chrono::milliseconds(200),
                                  {std::chrono::milliseconds(10), [&] {
                                     EXPECT_EQ(::write(ends[1], "x", 1), 1);
                                     ++notices;
                                   }});
    char byte = 0;
    EXPECT_EQ(::read(ends[0], &byte, 1), 1);
    EXPECT_FALSE(deadline.is_over());
    EXPECT_EQ(::read(ends[0], &byte, 1), 0);
    EXPECT_TRUE(deadline.is_over());
  }
  EXPECT_EQ(notices, 1);
  for (const int end : ends) ::close(end);
}

TEST(SocketDeadlines, LeaveASocketAloneBefore) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  {
    const SocketDeadline deadline(ends[0], std::chrono::hours(1));
    EXPECT_FALSE(deadline.is_over());
  }
  EXPECT_EQ(::write(ends[0], "x", 1), 1);
  for (const int end : ends) ::close(end);
}

TEST(Sockets, SayWhyTheyDoNotConnect) {
  const std::array<std::array<const char*, 2>, 2> cases = {
      {{"127.0.0.1", "refused"}, {"no-such-host.invalid", "cannot resolve"}}};
  for (const auto& [host, words] : cases) {
    try {
      connect_socket(host, 1, SocketWishes{});
      ADD_FAILURE() << host;
    } catch (const ConnectionLost& error) {
      EXPECT_NE(error.message().find(words), std::string::npos) << error.message();
    }
  }
}

}  // namespace
}  // namespace topsctl
