// Reads the ports from sysfs.
#include "topsctl/host/facts/infiniband.hpp"

#include <algorithm>
#include <filesystem>

#include "host/facts/sysfs.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_ports = 4096;

}  // namespace

std::vector<InfinibandPort> infiniband_ports(const Host& host) {
  const fs::path folder = host.resolve("/sys/class/infiniband");
  std::vector<InfinibandPort> ports;
  for (const std::string& device : sysfs_names(folder)) {
    for (const std::string& number : sysfs_names(folder / device / "ports")) {
      if (ports.size() == most_ports) return ports;
      const fs::path port = folder / device / "ports" / number;
      // "4: ACTIVE"
      const std::string state = sysfs_attribute(port / "state");
      const auto name = state.find(": ");
      ports.push_back({printable(device), printable(number),
                       name == std::string::npos ? state : state.substr(name + 2),
                       sysfs_attribute(port / "rate")});
    }
  }
  return ports;
}

bool is_in_port_list(const InfinibandPort& port, std::string_view list) {
  if (list.empty()) return true;
  const bool excludes = list.front() == '^';
  if (excludes) list.remove_prefix(1);
  const bool is_exact = !list.empty() && list.front() == '=';
  if (is_exact) list.remove_prefix(1);
  const std::string name = concat(port.device, ":", port.number);
  const std::vector<std::string> items = split(std::string(list), ',');
  const bool is_there = std::any_of(items.begin(), items.end(), [&](const std::string& item) {
    if (item.empty()) return false;
    if (item.find(':') != std::string::npos) return name == item;
    return is_exact ? port.device == item : port.device.starts_with(item);
  });
  return is_there != excludes;
}

}  // namespace topsctl
