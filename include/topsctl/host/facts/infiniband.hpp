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
  std::string state;   // "ACTIVE", "DOWN", ...; empty: not told
  std::string rate;    // "400 Gb/sec (4X NDR)"
  bool operator==(const InfinibandPort&) const = default;
};

// As /sys/class/infiniband has them (Documentation/ABI/stable/sysfs-class-infiniband of Linux), by
// their names; printable. Never throws: what cannot be read is left out.
std::vector<InfinibandPort> infiniband_ports(const Host& host);

// Whether a list as of NCCL_IB_HCA has the port: beginnings of "DEVICE:PORT" between commas, exact
// ones after '=', none of these after '^'. An empty list has all.
bool is_in_port_list(const InfinibandPort& port, std::string_view list);

}  // namespace topsctl
