// The JSON of the frames that make hosts send chunks to each other, parsed strictly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/remote/wire.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

// Parameters of a link to listen for, on a free port of this range; both 0: any port.
struct LinkWish {
  std::string key;  // 32 bytes, for this link only
  std::uint16_t first_port = 0;
  std::uint16_t last_port = 0;
  // Number of links from the workstation itself, from its address only, for 30 s; 0: one link, from
  // another host.
  unsigned direct_links = 0;
  bool operator==(const LinkWish&) const = default;
};

// Where a host listens for another host; no address if it cannot.
struct RelayListening {
  std::string address;  // numeric; empty: see `reason`
  std::uint16_t port = 0;
  std::string reason;
  unsigned lanes = 1;  // parallel chunks for the shortest total time
  bool operator==(const RelayListening&) const = default;
};

// The chunks that a host must forward, and the receiver.
struct RelayFeed {
  std::string address;
  std::uint16_t port = 0;
  std::string key;                 // 32 bytes, for this link only
  std::vector<ChunkPlace> chunks;  // of the manifest; sent in this order
  bool operator==(const RelayFeed&) const = default;
};

Json to_json(const LinkWish& wish);
Json to_json(const RelayListening& listening);
Json to_json(const RelayFeed& feed);
Json fed_json(const std::string& failure);  // empty: all chunks were forwarded

// Parse frames of the workstation. Throw Error{bad_bundle}.
LinkWish parse_listen_frame(std::string_view payload);
RelayFeed parse_feed_frame(std::string_view payload);
// Parse frames of the remote. Throw Error{unreachable}.
RelayListening parse_listening(std::string_view payload);
std::string parse_fed(std::string_view payload);

}  // namespace topsctl
