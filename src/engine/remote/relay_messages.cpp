// Writes and parses the JSON of a relay's frames.
#include "topsctl/engine/remote/relay_messages.hpp"

#include <limits>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/transfer_messages.hpp"
#include "topsctl/host/network/psk_tls.hpp"
#include "topsctl/host/system/digest.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_chunks = 1'000'000;
constexpr std::int64_t most_links = 16;

std::string key_in(const JsonReader& value) {
  auto key = bytes_of_hex(value.text());
  if (!key || key->size() != sealed_key_bytes) value.reject("invalid key");
  return *std::move(key);
}

std::uint16_t port_value(const JsonReader& value) {
  return static_cast<std::uint16_t>(value.integer(0, std::numeric_limits<std::uint16_t>::max()));
}

std::string text_value(const JsonReader& value) {
  return value.is_null() ? "" : value.text();
}

// Consecutive chunks of one object are written as [object, first, last].
Json ranges_json(const std::vector<ChunkPlace>& chunks) {
  Json ranges = Json::array();
  for (std::size_t i = 0; i < chunks.size();) {
    std::size_t end = i + 1;
    while (end < chunks.size() && chunks[end].object == chunks[i].object &&
           chunks[end].chunk == chunks[end - 1].chunk + 1) {
      ++end;
    }
    ranges.push_back({chunks[i].object, chunks[i].chunk, chunks[end - 1].chunk});
    i = end;
  }
  return ranges;
}

std::vector<ChunkPlace> chunks_in(const JsonReader& value) {
  std::vector<ChunkPlace> chunks;
  for (const JsonReader& range : value.items()) {
    const std::vector<JsonReader> numbers = range.items();
    if (numbers.size() != 3) range.reject("expected object, first chunk and last chunk");
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const auto object = static_cast<std::uint32_t>(numbers[0].integer(0, most));
    const std::int64_t first = numbers[1].integer(0, most);
    const std::int64_t last = numbers[2].integer(first, most);
    if (chunks.size() + static_cast<std::size_t>(last - first) >= most_chunks)
      range.reject("too many chunks");
    for (std::int64_t k = first; k <= last; ++k)
      chunks.push_back({object, static_cast<std::uint64_t>(k)});
  }
  return chunks;
}

}  // namespace

Json to_json(const LinkWish& wish) {
  return {{"key", hex_text(wish.key)},
          {"first_port", wish.first_port},
          {"last_port", wish.last_port},
          {"direct_links", wish.direct_links}};
}

Json to_json(const RelayListening& listening) {
  return {{"address", text_or_null(listening.address)},
          {"port", listening.port},
          {"reason", text_or_null(listening.reason)},
          {"lanes", listening.lanes}};
}

Json to_json(const RelayFeed& feed) {
  return {{"address", feed.address},
          {"port", feed.port},
          {"key", hex_text(feed.key)},
          {"chunks", ranges_json(feed.chunks)}};
}

Json fed_json(const std::string& failure) {
  return {{"failure", text_or_null(failure)}};
}

LinkWish parse_listen_frame(std::string_view payload) {
  LinkWish wish;
  read_near_words(payload, "the listen request", [&](const JsonReader& json) {
    json.expect_keys({"key", "first_port", "last_port", "direct_links"});
    wish = {key_in(json.at("key")), port_value(json.at("first_port")),
            port_value(json.at("last_port")),
            static_cast<unsigned>(json.at("direct_links").integer(0, most_links))};
    if (wish.last_port < wish.first_port) json.at("last_port").reject("invalid ports");
  });
  return wish;
}

RelayFeed parse_feed_frame(std::string_view payload) {
  RelayFeed feed;
  read_near_words(payload, "the feed request", [&](const JsonReader& json) {
    json.expect_keys({"address", "port", "key", "chunks"});
    feed = {json.at("address").text(), port_value(json.at("port")), key_in(json.at("key")),
            chunks_in(json.at("chunks"))};
  });
  return feed;
}

RelayListening parse_listening(std::string_view payload) {
  RelayListening listening;
  read_far_words(payload, "its listen reply", [&](const JsonReader& json) {
    listening = {text_value(json.at("address")), port_value(json.at("port")),
                 printable(text_value(json.at("reason"))),
                 static_cast<unsigned>(json.at("lanes").integer(1, most_interleaved))};
  });
  return listening;
}

std::string parse_fed(std::string_view payload) {
  std::string failure;
  read_far_words(payload, "its feed result", [&](const JsonReader& json) {
    failure = printable(text_value(json.at("failure")));
  });
  return failure;
}

}  // namespace topsctl
