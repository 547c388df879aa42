// Reads efsmi's output in all its layouts: by the words of its lines, never by their columns.
#include "topsctl/host/facts/efsmi.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

namespace {

constexpr std::size_t most_table_text = std::size_t{1} << 20U;
constexpr std::size_t most_cards = 1024;
constexpr std::array<std::string_view, 4> failures = {
    "HAL initialization failed", "Failed to initialize efml lib", "Initialize failed",
    "check device count error"};

std::string without_border(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r*+|");
  if (begin == std::string_view::npos) return {};
  const auto end = text.find_last_not_of(" \t\r*+|");
  return std::string(text.substr(begin, end - begin + 1));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string& word : split(text, ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  return words;
}

// The number that a text begins with: "30C", "48.0W", "71℃".
std::optional<double> leading_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> whole(const std::optional<double>& value) {
  constexpr double most = 1e15;
  if (!value || *value < -most || *value > most) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

// "32G", "49120MiB", "49120 MiB".
std::optional<std::int64_t> bytes_of(std::string_view text) {
  const auto number = leading_number(text);
  const auto unit = text.find_first_of("KMGT");
  if (!number || unit == std::string_view::npos) return std::nullopt;
  double bytes = *number;
  for (std::size_t i = 0; i <= std::string_view("KMGT").find(text[unit]); ++i) bytes *= 1024;
  return whole(bytes);
}

bool is_number(std::string_view word) {
  return !word.empty() && word.size() <= 4 && is_digits(word);
}

// The three cells of a table line; fewer if it is not one.
std::vector<std::string> cells_of(std::string_view line) {
  if (line.empty() || (line.front() != '*' && line.front() != '|' && line.front() != '+'))
    return {};
  std::vector<std::string> cells;
  for (const std::string& cell : split(line.substr(1), '|')) cells.push_back(without_border(cell));
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return cells;
}

// "0      T20" | "10.19.3" | "00:3d:0.0  Enable"
std::optional<CardReading> first_line(const std::vector<std::string>& cells) {
  if (cells.size() < 3) return std::nullopt;
  const std::vector<std::string> words = words_of(cells[0]);
  const std::vector<std::string> place = words_of(cells[2]);
  if (words.size() < 2 || !is_number(words[0]) || place.empty() ||
      place[0].find(':') == std::string::npos)
    return std::nullopt;
  CardReading card;
  card.index = std::stoll(words[0]);
  card.model = printable(words.back());
  card.bus_id = printable(place[0]);
  return card;
}

// "Sleep", "Active", "LP1"; not "C" of degrees, nor "N/A".
bool is_state(const std::string& word) {
  constexpr std::size_t shortest = 3;
  return word.size() >= shortest && std::isalpha(static_cast<unsigned char>(word[0])) != 0 &&
         std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

// "30C    Sleep   48.0W  300W" | "32G      Disable" | "0.0%     W28001210504"
void second_line(const std::vector<std::string>& cells, CardReading& card) {
  if (cells.size() < 3) return;
  const std::vector<std::string> words = words_of(cells[0]);
  if (!words.empty()) card.temperature_c = whole(leading_number(words[0]));
  const auto state = std::find_if(words.begin() + (words.empty() ? 0 : 1), words.end(), is_state);
  if (state != words.end()) card.state = printable(*state);
  bool is_usage = true;  // the first number of watts is the usage, the next the limit
  for (const std::string& word : words) {
    if (!word.ends_with("W")) continue;
    (is_usage ? card.power_w : card.power_cap_w) = leading_number(word);
    is_usage = false;
  }
  card.memory_total_bytes = bytes_of(cells[1]);
  for (const std::string& word : words_of(cells[2])) {
    if (word.ends_with("%")) {
      card.utilization_percent = leading_number(word);
    } else if (word != "-") {
      card.serial = printable(word);
    }
  }
}

// "EFSMI    V1.20.0          Driver Ver: 2.4.20230829", with or without a colon.
void read_versions(const std::string& line, CardToolReading& reading) {
  const std::vector<std::string> words = words_of(line);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& next = words[i + 1];
    if (words[i].starts_with("EFSMI") && leading_number(next.substr(next.starts_with("V") ? 1 : 0)))
      reading.tool_version = printable(next.substr(next.starts_with("V") ? 1 : 0));
    if (words[i].starts_with("Ver") && i > 0 && words[i - 1] == "Driver")
      reading.driver_version = printable(next);
  }
}

void read_table(const std::vector<std::string>& lines, CardToolReading& reading) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].find("EFSMI") != std::string::npos)
      read_versions(without_border(lines[i]), reading);
    auto card = first_line(cells_of(lines[i]));
    if (!card || reading.cards.size() == most_cards) continue;
    if (i + 1 < lines.size()) second_line(cells_of(lines[i + 1]), *card);
    reading.cards.push_back(std::move(*card));
  }
}

// One `key : value` of a card's block, in any section.
void take_value(const std::string& key, const std::string& value, CardReading& card) {
  if (key == "Dev Name")
    card.model = printable(words_of(value).empty() ? "" : words_of(value).back());
  if (key == "Dev UUID") card.serial = printable(value);
  if (key == "Dev SN" && card.serial.empty()) card.serial = printable(value);
  if (key == "GCU Temp") card.temperature_c = whole(leading_number(value));
  if (key == "Cur Power") card.power_w = leading_number(value);
  if (key == "Power Capa") card.power_cap_w = leading_number(value);
  if (key == "Dpm Level") card.state = printable(value);
  if (key == "Mem Usage" || key == "Used Size") card.memory_used_bytes = bytes_of(value);
  if (key == "GCU Usage") card.utilization_percent = leading_number(value);
  if (key == "Total Size" || key == "Mem Size") card.memory_total_bytes = bytes_of(value);
}

void read_blocks(const std::vector<std::string>& lines, CardToolReading& reading) {
  for (const std::string& each : lines) {
    const std::string line = without_border(each);
    const std::vector<std::string> words = words_of(line);
    if (words.size() >= 3 && words[0] == "DEV" && words[1] == "ID" && is_number(words[2]) &&
        reading.cards.size() < most_cards) {
      reading.cards.emplace_back();
      reading.cards.back().index = std::stoll(words[2]);
      continue;
    }
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = without_border(line.substr(0, colon));
    const std::string value = without_border(line.substr(colon + 1));
    if (key == "Ver" && reading.driver_version.empty()) reading.driver_version = printable(value);
    if (!reading.cards.empty()) take_value(key, value, reading.cards.back());
  }
}

// A value from a column of `efsmi --dmon`, if it is still unknown.
void take_monitor_value(const std::string& column, const std::string& value, CardReading& card) {
  constexpr double all = 100;
  const auto number = leading_number(value);
  if (column == "DTemp" && !card.temperature_c) card.temperature_c = whole(number);
  if (column == "Pwr" && !card.power_w) card.power_w = number;
  if (column == "DUsed" && !card.utilization_percent) card.utilization_percent = number;
  if (column == "MUsed" && !card.memory_used_bytes && card.memory_total_bytes && number &&
      *number >= 0 && *number <= all)
    card.memory_used_bytes = whole(static_cast<double>(*card.memory_total_bytes) * *number / all);
}

void read_members(const Json& value, CardReading& card) {
  if (!value.is_object()) return;
  for (const auto& [key, member] : value.items()) {
    if (member.is_object()) read_members(member, card);
    if (member.is_string()) take_value(key, member.get<std::string>(), card);
  }
}

void read_json(std::string_view text, CardToolReading& reading) {
  Json document;
  try {
    document = parse_json(text, "efsmi's answer");
  } catch (const Error&) {
    return;
  }
  if (!document.is_object()) return;
  const auto devices = document.find("devices");
  if (devices == document.end() || !devices->is_array()) return;
  for (const Json& device : *devices) {
    if (!device.is_object() || reading.cards.size() == most_cards) continue;
    CardReading card;
    const auto id = device.find("id");
    if (id != device.end() && id->is_number_integer()) card.index = id->get<std::int64_t>();
    read_members(device, card);
    reading.cards.push_back(std::move(card));
  }
}

}  // namespace

CardToolReading parse_efsmi(std::string_view text) {
  CardToolReading reading;
  text = text.substr(0, most_table_text);
  std::vector<std::string> lines = split(text, '\n');
  for (const std::string& line : lines) {
    const bool fails = std::any_of(failures.begin(), failures.end(), [&](std::string_view failure) {
      return line.find(failure) != std::string::npos;
    });
    if (fails && reading.failure.empty()) reading.failure = printable(without_border(line));
  }
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && text[begin] == '{') {
    read_json(text, reading);
    return reading;
  }
  lines.pop_back();  // without its end it may have been cut, and half a number is another number
  read_table(lines, reading);
  if (reading.cards.empty()) read_blocks(lines, reading);
  return reading;
}

void take_monitor_lines(std::string_view text, CardToolReading& reading) {
  std::vector<std::string> lines = split(text.substr(0, most_table_text), '\n');
  lines.pop_back();
  std::vector<std::string> columns;
  for (const std::string& line : lines) {
    const std::vector<std::string> words = words_of(without_border(line));
    if (std::find(words.begin(), words.end(), "MUsed") != words.end()) columns = words;
    if (words.empty() || words.size() != columns.size() || !is_number(words[0])) continue;
    const auto card =
        std::find_if(reading.cards.begin(), reading.cards.end(),
                     [&](const CardReading& each) { return each.index == std::stoll(words[0]); });
    if (card == reading.cards.end()) continue;
    for (std::size_t column = 1; column < columns.size(); ++column)
      take_monitor_value(columns[column], words[column], *card);
  }
}

}  // namespace topsctl
