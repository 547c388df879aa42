// Links by a key in common: strangers get nowhere, and either side can end what waits.
#include "topsctl/host/network/psk_tls.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <future>
#include <thread>

#include "support/certified_server.hpp"
#include "support/link_text.hpp"
#include "support/no_sigpipe.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/network/remote.hpp"
#include "topsctl/host/system/random.hpp"

namespace topsctl {
namespace {

using namespace std::chrono_literals;

constexpr const char* here = "127.0.0.1";
constexpr std::chrono::seconds patience(5);

// A handshake record that is never complete: one byte, and then another a while later.
void trickle(const Descriptor& socket, unsigned char kind, int bytes, int pause_ms) {
  std::string record = {0x16, 0x03, 0x03, 0x3f, 0x00, static_cast<char>(kind), 0x00, 0x3e, 0x00};
  record.resize(static_cast<std::size_t>(bytes));
  for (const char c : record) {
    if (::send(socket.get(), &c, 1, MSG_NOSIGNAL) != 1) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
  }
}

class PskTlsLinks : public testing::Test {
 protected:
  // Takes the first link, and reads it to its end.
  std::future<std::string> reader() {
    return std::async(std::launch::async, [this] {
      const auto link = listener.accept();
      return all_of(*link);
    });
  }

  Descriptor stranger() const {
    Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(listener.port());
    ::inet_pton(AF_INET, here, &address.sin_addr);
    EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return socket;
  }

  const NoSigpipe no_sigpipe;
  const std::string key = random_bytes(sealed_key_bytes);
  PskTlsListener listener{{here, key}};
};

TEST_F(PskTlsLinks, BringBytesWhole) {
  auto read = reader();
  const auto link = PskTlsLink::connect(here, listener.port(), key, patience);
  const std::string bytes = random_bytes(200) + std::string(3'000'000, 'x');
  link->write("begin ");
  link->write(bytes);
  link->finish();
  EXPECT_EQ(read.get(), "begin " + bytes);
}

TEST_F(PskTlsLinks, TurnAwayWhoeverHasAnotherKey) {
  auto read = reader();
  EXPECT_THROW(PskTlsLink::connect(here, listener.port(), random_bytes(sealed_key_bytes), patience),
               ConnectionLost);
  // And the one with the key still comes in.
  const auto link = PskTlsLink::connect(here, listener.port(), key, patience);
  link->write("ours");
  link->finish();
  EXPECT_EQ(read.get(), "ours");
}

TEST_F(PskTlsLinks, TurnAwayWhoeverSpeaksSomethingElse) {
  auto read = reader();
  const Descriptor other = stranger();
  ASSERT_GT(::send(other.get(), "GET / HTTP/1.1\r\n\r\n", 18, MSG_NOSIGNAL), 0);
  const auto link = PskTlsLink::connect(here, listener.port(), key, patience);
  link->finish();
  EXPECT_EQ(read.get(), "");
}

TEST_F(PskTlsLinks, TellNothingToAServerThatHasACertificateInPlaceOfTheKey) {
  CertifiedServer server;
  const auto send_to_it = [&] {
    const auto link = PskTlsLink::connect(here, server.port(), key, patience);
    link->write("the bundle");
    link->finish();
  };
  EXPECT_THROW(send_to_it(), ConnectionLost);
  EXPECT_EQ(server.heard(), "");
}

TEST_F(PskTlsLinks, WaitForAHandshakeNoLongerHoweverSlowlyItComes) {
  const Descriptor slow(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  socklen_t size = sizeof address;
  address.sin_family = AF_INET;
  ::inet_pton(AF_INET, here, &address.sin_addr);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(slow.get(), any, size), 0);
  ASSERT_EQ(::listen(slow.get(), 1), 0);
  ASSERT_EQ(::getsockname(slow.get(), any, &size), 0);
  std::jthread server_hello(
      [&] { trickle(Descriptor(::accept(slow.get(), nullptr, nullptr)), 2, 30, 100); });
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THROW(PskTlsLink::connect(here, ntohs(address.sin_port), key, 1s, 1s), ConnectionLost);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(2500));
}

TEST_F(PskTlsLinks, AreAbortedWhileAStrangerIsSlow) {
  auto read = reader();
  const Descriptor slow = stranger();
  trickle(slow, 1, 20, 10);
  const auto begun = std::chrono::steady_clock::now();
  listener.abort();
  EXPECT_THROW(read.get(), ConnectionLost);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(2));
}

TEST_F(PskTlsLinks, TellAnEndFromABreak) {
  auto read = reader();
  {
    const auto link = PskTlsLink::connect(here, listener.port(), key, patience);
    link->write("half of");
  }
  EXPECT_THROW(read.get(), ConnectionLost);
}

TEST_F(PskTlsLinks, AreAbortedWhileTheyWait) {
  auto read = reader();
  listener.abort();
  EXPECT_THROW(read.get(), ConnectionLost);
  EXPECT_THROW(PskTlsLink::connect(here, listener.port(), key, patience), ConnectionLost);
}

TEST_F(PskTlsLinks, AreAbortedWhileTheyRead) {
  auto accepted = std::async(std::launch::async, [this] { return listener.accept(); });
  const auto near = PskTlsLink::connect(here, listener.port(), key, patience);
  const auto far = accepted.get();
  auto read = std::async(std::launch::async, [&] { return all_of(*far); });
  far->abort();
  EXPECT_THROW(read.get(), ConnectionLost);
}

// The side that ends a connection first keeps its port for a minute (TIME_WAIT).
TEST(PskTlsListeners, TakeAPortAgainThatAConnectionHasJustLeft) {
  const NoSigpipe no_sigpipe;
  const std::string key = random_bytes(sealed_key_bytes);
  std::uint16_t port = 0;
  for (int i = 0; i < 3; ++i) {
    PskTlsListener listener({here, key, port, port});
    port = listener.port();
    auto near_end = std::async(std::launch::async, [&] { listener.accept()->abort(); });
    try {
      const auto far = PskTlsLink::connect(here, port, key, patience);
      static_cast<void>(all_of(*far));
    } catch (const Error&) {
      // The other side was the first to end it.
    }
    near_end.get();
  }
}

TEST(PskTlsListeners, WaitOnlyOnAddressesOfThisMachine) {
  EXPECT_EQ(thrown_by([] {
              PskTlsListener({"192.0.2.1", random_bytes(sealed_key_bytes)});
            }).code(),
            ErrorCode::host_unfit);
  EXPECT_EQ(thrown_by([] {
              PskTlsListener({"localhost", random_bytes(sealed_key_bytes)});
            }).code(),
            ErrorCode::host_unfit);
}

}  // namespace
}  // namespace topsctl
