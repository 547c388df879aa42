// Output to readers that take it, that stop, and that are gone.
#include "cli/non_blocking_streambuf.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <ostream>
#include <string>

namespace topsctl {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    read_end = Descriptor(ends[0]);
    write_end = Descriptor(ends[1]);
  }
  std::string take(std::size_t most) const {
    std::string bytes(most, '\0');
    const ssize_t got = ::read(read_end.get(), bytes.data(), bytes.size());
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
  }
  Descriptor read_end;
  Descriptor write_end;
};

constexpr int short_patience_ms = 20;
constexpr std::size_t more_than_a_pipe_holds = 1U << 20U;

TEST(NonBlockingOutput, PassesEverythingToAReader) {
  const Pipe pipe;
  NonBlockingStreambuf buffer(pipe.write_end.get());
  std::ostream stream(&buffer);
  stream << "step " << 3 << std::endl;
  EXPECT_EQ(pipe.take(100), "step 3\n");
}

TEST(NonBlockingOutput, GoesOnWithoutAReaderThatTakesNothing) {
  const Pipe pipe;
  NonBlockingStreambuf buffer(pipe.write_end.get(), short_patience_ms);
  std::ostream stream(&buffer);
  stream << std::string(more_than_a_pipe_holds, 'x') << "more" << std::flush;
  EXPECT_TRUE(stream.good());
  while (pipe.take(1U << 16U).size() == 1U << 16U) {
    if (::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK) != 0) break;
  }
  stream << "again" << std::flush;
  EXPECT_EQ(pipe.take(100), "again") << "it takes again";
}

TEST(NonBlockingOutput, GoesOnWithoutAReaderThatIsGone) {
  std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  NonBlockingStreambuf buffer(pipe.write_end.get());
  pipe.read_end.close();
  std::ostream stream(&buffer);
  stream << "nobody reads this" << std::endl;
  EXPECT_TRUE(stream.good());
}

TEST(NonBlockingOutput, LeavesTheDescriptorAsItIs) {
  const Pipe pipe;
  const NonBlockingStreambuf buffer(pipe.write_end.get());
  EXPECT_EQ(::fcntl(pipe.write_end.get(), F_GETFL) & O_NONBLOCK, 0);
}

}  // namespace
}  // namespace topsctl
