// Converts the places of hosts to JSON and back, and resolves their names.
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

std::string tensorflow_config(const std::map<std::string, std::string>& of_rank,
                              const std::string& host_name) {
  constexpr std::size_t longest = 100'000;  // a variable has its limit, execve(2)
  constexpr std::int64_t last_port = 65'535;
  const auto text_of = [&](const char* name) {
    const auto found = of_rank.find(name);
    return found == of_rank.end() ? std::string() : found->second;
  };
  const auto number_of = [&](const char* name) -> std::int64_t {
    const std::string text = text_of(name);
    constexpr std::size_t most_digits = 9;
    return is_digits(text) && text.size() <= most_digits ? std::stoll(text) : -1;
  };
  const std::int64_t ranks = number_of("LOCAL_WORLD_SIZE");
  const std::int64_t rank = number_of("LOCAL_RANK");
  const std::int64_t port = number_of("MASTER_PORT");
  std::vector<std::string> hosts;
  std::int64_t own = 0;
  if (const std::string addresses = text_of(addresses_variable); !addresses.empty()) {
    for (const std::string& word : split(addresses, ' ')) {
      const auto equals = word.find('=');
      if (equals == std::string::npos) continue;
      if (first_label(word.substr(0, equals)) == first_label(host_name))
        own = static_cast<std::int64_t>(hosts.size());
      hosts.push_back(word.substr(equals + 1));
    }
  } else {
    hosts.push_back(text_of("MASTER_ADDR"));
  }
  const auto nodes = static_cast<std::int64_t>(hosts.size());
  if (ranks <= 0 || rank < 0 || port < 0 || hosts.front().empty() ||
      nodes * ranks != number_of("WORLD_SIZE"))
    return {};
  const bool is_high = port + ranks > last_port;
  Json workers = Json::array();
  for (const std::string& host : hosts) {
    const std::string name = host.find(':') == std::string::npos ? host : concat("[", host, "]");
    for (std::int64_t each = 1; each <= ranks; ++each)
      workers.push_back(concat(name, ":", is_high ? port - each : port + each));
  }
  std::string text = to_line({{"cluster", {{"worker", std::move(workers)}}},
                              {"task", {{"type", "worker"}, {"index", own * ranks + rank}}}});
  return text.size() > longest ? std::string() : text;
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
