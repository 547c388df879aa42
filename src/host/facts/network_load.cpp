// Reads the counters of sysfs (Documentation/ABI/testing/sysfs-class-net-statistics and
// stable/sysfs-class-infiniband of Linux).
#include "topsctl/host/facts/network_load.hpp"

#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "host/facts/sysfs.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/infiniband.hpp"

namespace topsctl {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t octets_per_infiniband_count = 4;

std::optional<std::uint64_t> counter_in(const fs::path& file) {
  const std::string text = sysfs_attribute(file);
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = failure == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> octets_in(const fs::path& file) {
  const auto count = counter_in(file);
  return count ? std::optional(*count * octets_per_infiniband_count) : std::nullopt;
}

std::optional<double> rate_of(const std::optional<std::uint64_t>& before,
                              const std::optional<std::uint64_t>& now, double seconds) {
  if (!before || !now || *now < *before || seconds <= 0) return std::nullopt;
  return static_cast<double>(*now - *before) / seconds;
}

}  // namespace

Json to_json(const NetworkRate& rate) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"name", rate.name},
          {"kind", rate.is_infiniband ? "infiniband" : "interface"},
          {"received_bytes_per_second", number(rate.received_bytes_per_second)},
          {"sent_bytes_per_second", number(rate.sent_bytes_per_second)}};
}

NetworkMeter::NetworkMeter(const Host& host)
    : host_(host), at_(host.clock->steady()), last_(counters()) {}

std::map<std::pair<bool, std::string>, NetworkMeter::Counters> NetworkMeter::counters() const {
  std::map<std::pair<bool, std::string>, Counters> found;
  const fs::path interfaces = host_.resolve("/sys/class/net");
  for (const std::string& each : sysfs_names(interfaces)) {
    const fs::path folder = interfaces / each;
    const std::string name = printable(each);
    std::error_code none;
    const bool is_part = fs::is_symlink(fs::symlink_status(folder / "master", none));
    if (name == "lo" || is_part || sysfs_attribute(folder / "operstate") == "down") continue;
    found[{false, name}] = {counter_in(folder / "statistics/rx_bytes"),
                            counter_in(folder / "statistics/tx_bytes")};
  }
  for (const InfinibandPort& port : infiniband_ports(host_)) {
    const fs::path folder = host_.resolve(
        concat("/sys/class/infiniband/", port.device, "/ports/", port.number, "/counters"));
    found[{true, concat(port.device, ":", port.number)}] = {octets_in(folder / "port_rcv_data"),
                                                            octets_in(folder / "port_xmit_data")};
  }
  return found;
}

std::vector<NetworkRate> NetworkMeter::look() {
  const auto now = host_.clock->steady();
  const double seconds = std::chrono::duration<double>(now - at_).count();
  auto counters = this->counters();
  std::vector<NetworkRate> rates;
  for (const auto& [key, counts] : counters) {
    if (!counts.received && !counts.sent) continue;
    const auto before = last_.find(key);
    const Counters old = before == last_.end() ? Counters() : before->second;
    rates.push_back({key.second, key.first, rate_of(old.received, counts.received, seconds),
                     rate_of(old.sent, counts.sent, seconds)});
  }
  at_ = now;
  last_ = std::move(counters);
  return rates;
}

}  // namespace topsctl
