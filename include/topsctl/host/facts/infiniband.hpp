// The InfiniBand and RoCE ports of a host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topsctl/host/system/host.hpp"

namespace topsctl {

struct InfinibandPort {
  std::string device;  // "mlx5_0"
  std::string number;  // "1"
  std::string state;   // "ACTIVE", "DOWN", ...; empty: unknown
  std::string rate;    // "400 Gb/sec (4X NDR)"
  bool operator==(const InfinibandPort&) const = default;
};

// From /sys/class/infiniband (Documentation/ABI/stable/sysfs-class-infiniband of Linux), by name;
// printable. Never throws: skips what cannot be read.
std::vector<InfinibandPort> infiniband_ports(const Host& host);

// Whether a list in the form of NCCL_IB_HCA includes the port: prefixes of "DEVICE:PORT" separated
// by commas, exact matches after '=', exclusions after '^'. An empty list includes all.
bool is_in_port_list(const InfinibandPort& port, std::string_view list);

}  // namespace topsctl
