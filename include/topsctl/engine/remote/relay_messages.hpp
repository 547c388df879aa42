// The JSON of the frames by which hosts are told to feed each other, read strictly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// What a link is waited for with, on a free port of these; both 0: any.
struct LinkWish {
  std::string key;  // 32 bytes, for this link alone
  std::uint16_t first_port = 0;
  std::uint16_t last_port = 0;
  // From the near end itself: so many, from its address alone, for 30 s; 0: one, of another host.
  unsigned direct_links = 0;
  bool operator==(const LinkWish&) const = default;
};

// Where a host waits for another one; without an address if it cannot.
struct RelayListening {
  std::string address;  // numeric; empty: `reason` tells why not
  std::uint16_t port = 0;
  std::string reason;
  unsigned lanes = 1;  // how many chunks it takes at once in the least time
  bool operator==(const RelayListening&) const = default;
};

// What a host is to send on, and where to.
struct RelayFeed {
  std::string address;
  std::uint16_t port = 0;
  std::string key;                 // 32 bytes, for this link alone
  std::vector<ChunkPlace> chunks;  // of the manifest; in their order
  bool operator==(const RelayFeed&) const = default;
};

Json to_json(const LinkWish& wish);
Json to_json(const RelayListening& listening);
Json to_json(const RelayFeed& feed);
Json fed_json(const std::string& failure);  // empty: all was sent on

// What the near end says. Throw Error{bad_bundle}.
LinkWish parse_listen_frame(std::string_view payload);
RelayFeed parse_feed_frame(std::string_view payload);
// What the far end says. Throw Error{unreachable}.
RelayListening parse_listening(std::string_view payload);
std::string parse_fed(std::string_view payload);

}  // namespace topsctl
