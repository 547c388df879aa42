// Places of hosts as JSON, both ways, and what their names mean.
#include "topsctl/engine/launch/node_place.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

std::string host_word(const JsonReader& reader) {
  std::string word = reader.text();
  if (!is_host_word(word)) reader.reject("expected a host name or address");
  return word;
}

std::string first_label(const std::string& name) {
  return name.substr(0, name.find('.'));
}

}  // namespace

bool is_for_several(const std::optional<NodePlace>& place) {
  return place && place->nodes() > 1;
}

bool is_host_word(const std::string& word) {
  const auto is_plain = [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':' || c == '_';
  };
  constexpr std::size_t longest_host_word = 253;  // RFC 1035, 2.3.4
  return !word.empty() && word.size() <= longest_host_word && !word.starts_with('-') &&
         std::all_of(word.begin(), word.end(), is_plain);
}

Json to_json(const NodePlace& place) {
  Json hosts = Json::array();
  for (const NodeHost& host : place.hosts)
    hosts.push_back({{"name", host.name}, {"address", host.address}});
  return {{"node", place.node},
          {"hosts", std::move(hosts)},
          {"master", place.master},
          {"rendezvous", place.rendezvous}};
}

NodePlace node_place_in(const JsonReader& reader) {
  reader.expect_keys({"node", "hosts", "master", "rendezvous"});
  NodePlace place;
  for (const JsonReader& host : reader.at("hosts").items()) {
    host.expect_keys({"name", "address"});
    place.hosts.push_back({host_word(host.at("name")), host_word(host.at("address"))});
  }
  const std::int64_t nodes = place.nodes();
  if (nodes == 0 || nodes > most_nodes)
    reader.at("hosts").reject(format("expected one to {} hosts", most_nodes));
  place.node = reader.at("node").integer(0, nodes - 1);
  place.master = host_word(reader.at("master"));
  place.rendezvous = host_word(reader.at("rendezvous"));
  return place;
}

std::string addresses_text(const NodePlace& place) {
  std::vector<std::string> words;
  for (const NodeHost& host : place.hosts) words.push_back(concat(host.name, "=", host.address));
  return joined(words, " ");
}

std::string address_in(const std::string& addresses, const std::string& name) {
  std::vector<std::string> meant;
  for (const std::string& word : split(addresses, ' ')) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) continue;
    const std::string host = word.substr(0, equals);
    if (host == name) return word.substr(equals + 1);
    if (first_label(host) == first_label(name)) meant.push_back(word.substr(equals + 1));
  }
  return meant.size() == 1 ? meant.front() : name;
}

}  // namespace topsctl
