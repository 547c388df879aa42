// One host's part of a training on several hosts. Plain values.
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
// Only in the environment of `topsctl rank`: "NAME=ADDRESS ..." of each host.
inline constexpr const char* addresses_variable = "TOPSCTL_HOST_ADDRESSES";

struct NodeHost {
  std::string name;     // the host's own name: uname -n
  std::string address;  // for the other hosts; a name or a numeric address
  bool operator==(const NodeHost&) const = default;
};

struct NodePlace {
  std::int64_t node = 0;        // index of the host
  std::vector<NodeHost> hosts;  // all, in the order of their ranks
  std::string master;           // address of the rendezvous, on the first host
  std::string rendezvous;       // a name shared by all hosts and by no other training
  bool operator==(const NodePlace&) const = default;

  std::int64_t nodes() const { return static_cast<std::int64_t>(hosts.size()); }
  const NodeHost& own() const { return hosts.at(static_cast<std::size_t>(node)); }
};

// Whether other hosts take part.
bool is_for_several(const std::optional<NodePlace>& place);

// Whether it can be the name or address of a host: at most 253 letters, digits, '-', '.', ':' and
// '_', not beginning with '-'.
bool is_host_word(const std::string& word);

Json to_json(const NodePlace& place);
// Throws Error{bad_stack} with the reason.
NodePlace node_place_in(const JsonReader& reader);

// TF_CONFIG of a rank for TensorFlow's MultiWorkerMirroredStrategy: each rank is a worker, at a
// port above MASTER_PORT. Made from the launcher's variables and the hosts' names and addresses;
// empty if these do not suffice.
std::string tensorflow_config(const std::map<std::string, std::string>& of_rank,
                              const std::string& host_name);

std::string addresses_text(const NodePlace& place);  // "NAME=ADDRESS ..." of all hosts
// Resolves `name` in the text of addresses_text(): the host's address if the name, or its first
// label, belongs to exactly one host; else `name`. Launchers use the first host's own name for
// itself, which other hosts may not resolve.
std::string address_in(const std::string& addresses, const std::string& name);

}  // namespace topsctl
