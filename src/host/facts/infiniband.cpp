// Reads the ports from sysfs.
#include "topsctl/host/facts/infiniband.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_attribute = 4096;
constexpr std::size_t most_ports = 4096;

std::string attribute(const fs::path& file) {
  try {
    return printable(trimmed(read_text_if_present(file, most_attribute).value_or("")));
  } catch (const Error&) {
    return {};
  }
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure); !failure && at != fs::directory_iterator();
       at.increment(failure))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<InfinibandPort> infiniband_ports(const Host& host) {
  const fs::path folder = host.resolve("/sys/class/infiniband");
  std::vector<InfinibandPort> ports;
  for (const std::string& device : names_in(folder)) {
    for (const std::string& number : names_in(folder / device / "ports")) {
      if (ports.size() == most_ports) return ports;
      const fs::path port = folder / device / "ports" / number;
      // "4: ACTIVE"
      const std::string state = attribute(port / "state");
      const auto name = state.find(": ");
      ports.push_back({printable(device), printable(number),
                       name == std::string::npos ? state : state.substr(name + 2),
                       attribute(port / "rate")});
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
