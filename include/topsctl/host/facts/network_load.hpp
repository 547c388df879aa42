// Transfer rates of the network interfaces and InfiniBand ports of a host.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "topsctl/host/system/host.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct NetworkRate {
  std::string name;                                 // "eth0", "mlx5_0:1"; printable
  bool is_infiniband = false;                       // a port with RDMA; else an interface
  std::optional<double> received_bytes_per_second;  // nothing: not measured
  std::optional<double> sent_bytes_per_second;
  bool operator==(const NetworkRate&) const = default;
};
// {name, kind, received_bytes_per_second, sent_bytes_per_second}
Json to_json(const NetworkRate& rate);

// Measures the rates between calls; the constructor takes the first measurement. From
// /sys/class/net, without lo, interfaces that are down, and members of a bridge or bond; from
// /sys/class/infiniband, the ports' counters, which count only RDMA.
class NetworkMeter {
 public:
  explicit NetworkMeter(const Host& host);
  // By name, interfaces first. Never throws: skips what cannot be read.
  std::vector<NetworkRate> look();

 private:
  struct Counters {
    std::optional<std::uint64_t> received;  // bytes
    std::optional<std::uint64_t> sent;
  };
  // Key: whether it is InfiniBand, and the name.
  std::map<std::pair<bool, std::string>, Counters> counters() const;

  const Host& host_;
  std::chrono::steady_clock::time_point at_;
  std::map<std::pair<bool, std::string>, Counters> last_;
};

}  // namespace topsctl
