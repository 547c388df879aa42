// The part that one host has in a training on several. Plain values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/model/json.hpp"
#include "topsctl/model/json_reader.hpp"

namespace topsctl {

inline constexpr std::int64_t most_nodes = 64;
// In the environment of `topsctl rank` alone: "NAME=ADDRESS ...", of each host.
inline constexpr const char* addresses_variable = "TOPSCTL_HOST_ADDRESSES";

struct NodeHost {
  std::string name;     // by its own account: uname -n
  std::string address;  // by which the others reach it; a name or a number
  bool operator==(const NodeHost&) const = default;
};

struct NodePlace {
  std::int64_t node = 0;        // which of the hosts
  std::vector<NodeHost> hosts;  // all, in the order of their ranks
  std::string master;           // where ranks meet: an address of the first
  std::string rendezvous;       // a name that all have and no other training has
  bool operator==(const NodePlace&) const = default;

  std::int64_t nodes() const { return static_cast<std::int64_t>(hosts.size()); }
  const NodeHost& own() const { return hosts.at(static_cast<std::size_t>(node)); }
};

// Whether other hosts take part.
bool is_for_several(const std::optional<NodePlace>& place);

// Whether it can be the name or the address of a host: a word that ends no list and no argument.
bool is_host_word(const std::string& word);

Json to_json(const NodePlace& place);
// Throws Error{bad_stack} naming what is wrong.
NodePlace node_place_in(const JsonReader& reader);

// "NAME=ADDRESS ..." of all hosts.
// TF_CONFIG of a rank for TensorFlow's MultiWorkerMirroredStrategy: each rank is a worker, at a
// port above MASTER_PORT. By what a launcher sets, and the names and addresses of the hosts; empty:
// that does not suffice.
std::string tensorflow_config(const std::map<std::string, std::string>& of_rank,
                              const std::string& host_name);

std::string addresses_text(const NodePlace& place);
// What `name` is in such a text: the host's address where the name, or its first label, is that of
// exactly one; else `name`. Launchers name the first host by the name that it has for itself, which
// others may not know.
std::string address_in(const std::string& addresses, const std::string& name);

}  // namespace topsctl
