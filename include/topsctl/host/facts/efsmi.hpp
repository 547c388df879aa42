// Parses the output of efsmi, the vendor's system management interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// One card; values that are missing, "-" or "N/A" are absent or empty.
struct CardReading {
  std::int64_t index = 0;
  std::string model;   // "T20"
  std::string bus_id;  // "00:3d:0.0", as printed
  std::string serial;  // UUID or serial number
  std::optional<std::int64_t> temperature_c;
  std::optional<double> power_w;
  std::optional<std::int64_t> memory_total_bytes;
  std::optional<double> utilization_percent;
  std::optional<std::int64_t> memory_used_bytes;
  std::optional<double> power_cap_w;
  std::string state;  // power state: "Sleep", "Active", "LP1"
  bool operator==(const CardReading&) const = default;
};

struct CardToolReading {
  std::string tool_version;
  std::string driver_version;
  std::vector<CardReading> cards;
  std::string failure;  // its error line; empty: no error
  bool operator==(const CardToolReading&) const = default;
};

// Parses all known layouts: the tables of releases 1.2 to 1.20 with two lines per card and borders
// of `*`, `+` or `|`, the blocks of `efsmi -q`, and its JSON. Never throws: unrecognized text gives
// no cards, and an incomplete last line is ignored.
CardToolReading parse_efsmi(std::string_view text);

// Adds values of `efsmi --dmon -c 1`, by its column names, where the reading has none: mainly the
// used memory, which T20's table lacks and which is printed in percent of the total. Never throws;
// ignores unrecognized text.
void take_monitor_lines(std::string_view text, CardToolReading& reading);

}  // namespace topsctl
