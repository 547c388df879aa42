// Reads lines of comma-separated values, and leaves efsmi's layouts to their own reader.
#include "topsctl/host/facts/card_tool.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_listed_text = std::size_t{1} << 20U;
constexpr std::size_t most_listed_cards = 1024;
constexpr double mib = 1024.0 * 1024.0;
constexpr double most_whole = 1e15;

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole_text = error == std::errc() && end == text.data() + text.size();
  return is_whole_text && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> whole_number(std::string_view text, double unit = 1) {
  const auto value = number_in(text);
  if (!value || *value < 0 || *value * unit > most_whole) return std::nullopt;
  return static_cast<std::int64_t>(*value * unit);
}

using Taker = std::function<void(std::string_view text, CardReading& card)>;

const std::map<std::string, Taker, std::less<>>& takers() {
  static const std::map<std::string, Taker, std::less<>> all = {
      {"model", [](auto text, auto& card) { card.model = printable(text); }},
      {"bus_id", [](auto text, auto& card) { card.bus_id = printable(text); }},
      {"serial", [](auto text, auto& card) { card.serial = printable(text); }},
      {"state", [](auto text, auto& card) { card.state = printable(text); }},
      {"temperature_c", [](auto text, auto& card) { card.temperature_c = whole_number(text); }},
      {"power_w", [](auto text, auto& card) { card.power_w = number_in(text); }},
      {"power_cap_w", [](auto text, auto& card) { card.power_cap_w = number_in(text); }},
      {"memory_total_mib",
       [](auto text, auto& card) { card.memory_total_bytes = whole_number(text, mib); }},
      {"memory_used_mib",
       [](auto text, auto& card) { card.memory_used_bytes = whole_number(text, mib); }},
      {"utilization_percent",
       [](auto text, auto& card) { card.utilization_percent = number_in(text); }}};
  return all;
}

}  // namespace

CardToolReading card_table_in(std::string_view text, const std::vector<std::string>& columns) {
  CardToolReading reading;
  if (text.size() > most_listed_text) return reading;
  for (const std::string& line : split(std::string(text), '\n')) {
    const std::vector<std::string> cells = split(line, ',');
    if (cells.size() != columns.size()) continue;
    CardReading card;
    bool has_index = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string_view cell = trimmed(cells[i]);
      if (columns[i] == "index") {
        const auto index = whole_number(cell);
        has_index = index.has_value();
        card.index = index.value_or(0);
      } else if (columns[i] == "driver_version") {
        reading.driver_version = printable(cell);
      } else if (const auto taker = takers().find(columns[i]); taker != takers().end()) {
        const bool is_absent = cell == "N/A" || cell.starts_with('[');
        if (!is_absent) taker->second(cell, card);
      }
    }
    if (has_index && reading.cards.size() < most_listed_cards)
      reading.cards.push_back(std::move(card));
  }
  return reading;
}

CardToolReading ask_card_tool(const Host& host, const CardToolRules& tool,
                              std::int64_t timeout_ms) {
  std::vector<std::string> words = {tool.file};
  words.insert(words.end(), tool.arguments.begin(), tool.arguments.end());
  Command command = host.command(words, timeout_ms);
  command.environment["PATH"] = script_path;
  const RunResult run = host.runner->run(command);
  CardToolReading reading =
      tool.columns.empty() ? parse_efsmi(run.output) : card_table_in(run.output, tool.columns);
  // Such a tool prints an error message instead of the table.
  if (reading.failure.empty() && !run.ok()) {
    const std::string said = printable(trimmed(split(run.output, '\n').front()));
    reading.failure = tool.columns.empty() || said.empty() ? run.ending() : said;
  }
  return reading;
}

}  // namespace topsctl
