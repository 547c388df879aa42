// Connections that are begun while the first one still logs in.
#include "engine/transfer/session_prefetch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/thrown.hpp"

namespace topsctl {
namespace {

using namespace std::chrono_literals;

struct NoSession : RemoteSession {
  std::unique_ptr<RemoteStream> start(const std::string& /*command_line*/) override {
    return nullptr;
  }
};

// A far end at which the first waits to log in until the others have got as far.
class SlowLogIn : public Remote {
 public:
  explicit SlowLogIn(unsigned others) : others_(others) {}
  std::unique_ptr<RemoteSession> connect() override {
    ++plain;
    return std::make_unique<NoSession>();
  }
  std::unique_ptr<RemoteSession> connect_in_steps(const Reached& on_reached,
                                                  Asking asking) override {
    if (!on_reached) {
      EXPECT_EQ(asking, Asking::never);
      return connect();
    }
    const bool is_first = reached++ == 0;
    EXPECT_EQ(asking, is_first ? Asking::allowed : Asking::never);
    on_reached(20ms);
    if (is_first) {
      while (reached <= others_) std::this_thread::sleep_for(1ms);
      if (refuses) throw Error(ErrorCode::unreachable, "cannot log in");
      first_is_in = true;
    } else if (!first_is_in) {
      ++too_early;
    }
    if (!is_first && loses) throw ConnectionLost("too many at once");
    if (!is_first && is_spent) throw AnswersSpent("a code counts once");
    return std::make_unique<NoSession>();
  }

  bool refuses = false;
  bool loses = false;
  bool is_spent = false;
  std::atomic<bool> first_is_in = false;
  std::atomic<unsigned> reached = 0;
  std::atomic<unsigned> plain = 0;
  std::atomic<unsigned> too_early = 0;

 private:
  const unsigned others_;
};

TEST(PrefetchedSessions, LogInAfterTheFirst) {
  SlowLogIn remote(3);
  {
    SessionPrefetch sessions(remote);
    EXPECT_TRUE(sessions.connect_first([](auto round_trip) { return round_trip >= 15ms ? 3 : 0; }));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(sessions.take());
    EXPECT_EQ(remote.plain, 0U);
    EXPECT_TRUE(sessions.take());
    EXPECT_EQ(remote.plain, 1U);
  }
  EXPECT_EQ(remote.reached, 4U);
  EXPECT_EQ(remote.too_early, 0U);
}

TEST(PrefetchedSessions, DoNotTryWhatTheFirstWasRefusedFor) {
  SlowLogIn remote(2);
  remote.refuses = true;
  {
    SessionPrefetch sessions(remote);
    EXPECT_EQ(thrown_by([&] { sessions.connect_first([](auto) { return 2U; }); }).message(),
              "cannot log in");
  }
  EXPECT_EQ(remote.reached, 3U);
  EXPECT_EQ(remote.too_early, 0U);
  EXPECT_EQ(remote.plain, 0U);
}

TEST(PrefetchedSessions, AreNotTriedTwiceWhereAPersonWouldHaveToBeAsked) {
  SlowLogIn remote(1);
  remote.is_spent = true;
  SessionPrefetch sessions(remote);
  EXPECT_TRUE(sessions.connect_first([](auto) { return 1U; }));
  EXPECT_THROW(sessions.take(), AnswersSpent);
  EXPECT_EQ(remote.plain, 0U);
}

TEST(PrefetchedSessions, AreMadeAnewWhereTheyWereLost) {
  SlowLogIn remote(1);
  remote.loses = true;
  SessionPrefetch sessions(remote);
  EXPECT_TRUE(sessions.connect_first([](auto) { return 1U; }));
  EXPECT_TRUE(sessions.take());
  EXPECT_EQ(remote.plain, 1U);
}

}  // namespace
}  // namespace topsctl
