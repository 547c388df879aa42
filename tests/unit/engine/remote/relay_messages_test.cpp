// The words of a relay, both ways, and what is none.
#include "topsctl/engine/remote/relay_messages.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/thrown.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/host/network/psk_tls.hpp"
#include "topsctl/host/system/random.hpp"

namespace topsctl {
namespace {

TEST(RelayWords, AreReadAsTheyWereWritten) {
  const std::string key = random_bytes(sealed_key_bytes);
  for (const LinkWish& wish : {LinkWish{key}, LinkWish{key, 40'000, 40'010, 3}})
    EXPECT_EQ(parse_listen_frame(to_line(to_json(wish))), wish);
  const RelayFeed feed{"10.0.0.1", 4711, key, {{0, 0}, {0, 1}, {0, 3}, {2, 0}, {2, 1}}};
  EXPECT_EQ(parse_feed_frame(to_line(to_json(feed))), feed);
  EXPECT_EQ(to_json(feed)["chunks"], Json::parse("[[0,0,1],[0,3,3],[2,0,1]]"));
  for (const RelayListening& each :
       {RelayListening{"10.0.0.1", 4711, "", 8}, RelayListening{"", 0, "no address"}})
    EXPECT_EQ(parse_listening(to_line(to_json(each))), each);
  EXPECT_EQ(parse_fed(to_line(fed_json(""))), "");
  EXPECT_EQ(parse_fed(to_line(fed_json("broken"))), "broken");
}

TEST(RelayWords, AreRefusedWhenTheyAreNone) {
  const std::string key(64, 'a');
  for (const std::string& text :
       {std::string("{}"), std::string(R"({"key": "abc"})"), std::string(R"({"key": null})")})
    EXPECT_EQ(thrown_by([&] { parse_listen_frame(text); }).code(), ErrorCode::bad_bundle) << text;
  for (const char* chunks :
       {"[[0,1]]", "[[0,3,1]]", "[[0,-1,1]]", "[[0,0,2000000000]]", "{}", R"([["0",0,0]])"}) {
    const std::string text =
        R"({"address": "1.2.3.4", "port": 1, "key": ")" + key + R"(", "chunks": )" + chunks + "}";
    EXPECT_EQ(thrown_by([&] { parse_feed_frame(text); }).code(), ErrorCode::bad_bundle) << text;
  }
  EXPECT_EQ(thrown_by([] {
              parse_listening(R"({"address": "a", "port": 70000, "reason": null})");
            }).code(),
            ErrorCode::unreachable);
  EXPECT_EQ(thrown_by([] { parse_fed("[]"); }).code(), ErrorCode::unreachable);
}

}  // namespace
}  // namespace topsctl
