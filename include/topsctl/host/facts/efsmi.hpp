// What efsmi, the vendor's system management interface, prints of the cards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace topsctl {

// One card; what a layout does not tell, or tells as "-" or "N/A", is absent or empty.
struct CardReading {
  std::int64_t index = 0;
  std::string model;   // "T20"
  std::string bus_id;  // "00:3d:0.0", as it stands there
  std::string serial;  // UUID or serial number
  std::optional<std::int64_t> temperature_c;
  std::optional<double> power_w;
  std::optional<std::int64_t> memory_total_bytes;
  std::optional<double> utilization_percent;
  std::optional<std::int64_t> memory_used_bytes;
  std::optional<double> power_cap_w;
  std::string state;  // of its power: "Sleep", "Active", "LP1"
  bool operator==(const CardReading&) const = default;
};

struct CardToolReading {
  std::string tool_version;
  std::string driver_version;
  std::vector<CardReading> cards;
  std::string failure;  // the line by which it says that it cannot; empty: it can
  bool operator==(const CardToolReading&) const = default;
};

// Reads any of the layouts that are known: the tables of releases 1.2 to 1.20 with two lines a card
// and borders of `*`, `+` or `|`, the blocks of `efsmi -q`, and its JSON. Never throws: of what it
// does not understand there are no cards, and of a last line without its end nothing.
CardToolReading parse_efsmi(std::string_view text);

// Adds what `efsmi --dmon -c 1` prints of the cards of a reading, by the names of its columns,
// where the reading says nothing: above all the memory in use, which T20's table does not have and
// which stands there in percent of all. Never throws; of what it does not understand nothing is
// added.
void take_monitor_lines(std::string_view text, CardToolReading& reading);

}  // namespace topsctl
