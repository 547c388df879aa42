// Renders the readings of topsctl watch.
#include "cli/training/watch_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/finding_text.hpp"
#include "cli/training/bench_text.hpp"
#include "cli/training/live_view.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::size_t longest_words = 120;   // of a rank's last line
constexpr std::size_t most_rates_shown = 4;  // of interfaces

// "12.3"; "-" if it is not known.
std::string one_decimal(const std::optional<double>& number) {
  if (!number) return "-";
  constexpr double tenths_per_one = 10;
  constexpr double half = 0.5;
  const auto tenths = static_cast<std::int64_t>(*number * tenths_per_one + half);
  return concat(tenths / 10, ".", tenths % 10);
}

std::string dash_or(const std::optional<double>& number, const char* unit) {
  if (!number) return "-";
  return concat(static_cast<std::int64_t>(*number + 0.5), unit);
}

std::optional<double> as_double(const std::optional<std::int64_t>& number) {
  return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
}

std::string memory_of(const CardReading& card) {
  const std::string total = card.memory_total_bytes
                                ? human_size(static_cast<std::uint64_t>(*card.memory_total_bytes))
                                : "-";
  if (!card.memory_used_bytes) return total;
  return concat(human_size(static_cast<std::uint64_t>(*card.memory_used_bytes)), " / ", total);
}

std::string state_of(const CardWatch& watch, const Judgement& judgement) {
  std::string text =
      watch.busy ? format("{} of {} cards busy", *watch.busy, watch.cards.size())
                 : format("unknown whether the cards are busy: {} is missing or fails", watch.tool);
  if (!watch.ranks.empty()) text += format(", {} run", counted(watch.ranks.size(), "rank"));
  if (!judgement.first_cause.empty()) {
    text += format("; {} ({}): `topsctl doctor`", judgement.diagnoses.front().finding.title,
                   judgement.first_cause);
  }
  return text;
}

// "eth0 1.2 MiB/s received, 3 KiB/s sent; ...", the busiest first; empty: nothing was measured.
std::string network_text(std::vector<NetworkRate> rates) {
  std::erase_if(rates, [](const NetworkRate& rate) {
    return !rate.received_bytes_per_second || !rate.sent_bytes_per_second;
  });
  if (rates.empty()) return {};
  std::stable_sort(rates.begin(), rates.end(), [](const NetworkRate& a, const NetworkRate& b) {
    return *a.received_bytes_per_second + *a.sent_bytes_per_second >
           *b.received_bytes_per_second + *b.sent_bytes_per_second;
  });
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(rates.size(), most_rates_shown); ++i) {
    parts.push_back(
        format("{} {}/s received, {}/s sent", rates[i].name,
               human_size(static_cast<std::uint64_t>(*rates[i].received_bytes_per_second)),
               human_size(static_cast<std::uint64_t>(*rates[i].sent_bytes_per_second))));
  }
  if (rates.size() > most_rates_shown)
    parts.push_back(format("{} more (--json)", rates.size() - most_rates_shown));
  return concat(format("network:"), " ", joined(parts, "; "), "\n");
}

std::string host_text(const CardWatch& watch) {
  const HostLoad& load = watch.host;
  const auto size = [](const std::optional<std::int64_t>& bytes) {
    return bytes ? human_size(static_cast<std::uint64_t>(*bytes)) : std::string("-");
  };
  std::string text =
      concat(format("host:"), " ",
             format("processors {}, {} of {} memory available", dash_or(load.cpu_percent, " %"),
                    size(load.memory_available_bytes), size(load.memory_total_bytes)),
             "\n");
  text += network_text(watch.network);
  const Throughput& throughput = watch.throughput;
  if (throughput.iterations_per_second)
    text += concat(format("training:"), " ",
                   format("{} it/s, {} samples/s, global batch {}",
                          one_decimal(throughput.iterations_per_second),
                          one_decimal(throughput.samples_per_second),
                          throughput.global_batch ? concat(*throughput.global_batch) : "-"),
                   "\n");
  if (watch.benchmark)
    text += concat(format("benchmark:"), " ", benchmark_line(to_json(watch.benchmark)), "\n");
  for (const std::string& advice : watch.advice)
    text += concat(format("advice:"), " ", advice, "\n");
  return text;
}

std::string ranks_text(const CardWatch& watch, const Style& style) {
  std::vector<std::vector<std::string>> rows = {
      {"rank", "pid", "state", "cards", "iteration", "it/s", "last line"}};
  for (const WatchedRank& rank : watch.ranks) {
    std::vector<std::string> cards;
    for (const std::int64_t card : rank.cards) cards.push_back(concat(card));
    rows.push_back({concat(rank.rank), concat(rank.pid), rank.state.empty() ? "-" : rank.state,
                    cards.empty() ? "-" : joined(cards, ","),
                    rank.iteration.empty() ? "-" : rank.iteration,
                    one_decimal(rank.iterations_per_second),
                    rank.last_line.empty() ? "-" : shortened(rank.last_line, longest_words)});
  }
  return table(rows, style);
}

std::string ports_text(const std::vector<FlowPort>& ports, const Style& style) {
  std::vector<std::vector<std::string>> rows = {
      {"host", "NIC", "port", "Gbit/s", "mean", "lowest", "drops", "values", "age"}};
  for (const FlowPort& port : ports) {
    const FlowValues& values = port.values;
    const auto known = [&](double number) {
      return one_decimal(values.count > 0 ? std::optional(number) : std::nullopt);
    };
    rows.push_back(
        {port.host, port.nic, port.port, known(values.last),
         known(values.sum / static_cast<double>(std::max<std::uint64_t>(values.count, 1))),
         known(values.lowest), concat(values.drops), concat(values.count),
         human_duration(port.age_ms)});
  }
  return table(rows, style);
}

}  // namespace

std::string watch_text(const CardWatch& watch, const Judgement& judgement, const Style& style) {
  std::string text;
  if (!watch.cards.empty()) {
    std::vector<std::vector<std::string>> rows = {
        {"card", "model", "state", "temp", "power", "memory", "use", "rank", "pid"}};
    for (const WatchedCard& card : watch.cards) {
      const CardReading& reading = card.reading;
      rows.push_back(
          {concat(reading.index), reading.model.empty() ? "-" : reading.model,
           reading.state.empty() ? "-" : reading.state,
           dash_or(as_double(reading.temperature_c), " C"),
           concat(dash_or(reading.power_w, ""), " / ", dash_or(reading.power_cap_w, " W")),
           memory_of(reading), dash_or(reading.utilization_percent, " %"),
           card.rank ? concat(*card.rank) : "-", card.pid ? concat(*card.pid) : "-"});
    }
    text += table(rows, style);
  }
  if (!watch.ports.empty()) text += ports_text(watch.ports, style);
  if (!watch.ranks.empty()) text += ranks_text(watch, style);
  const std::string state =
      concat(style.bold(format("state:")), " ", state_of(watch, judgement), "\n");
  return text + fitted_lines(host_text(watch) + state, style);
}

std::string watch_picture(const CardWatch& watch, const Judgement& judgement,
                          const std::string& heading, std::size_t columns, std::size_t rows,
                          const Style& style) {
  const Style plain{false};
  std::vector<std::string> lines = split(watch_text(watch, judgement, plain), '\n');
  if (lines.back().empty()) lines.pop_back();
  lines.insert(lines.begin(), heading);
  // The state is more important than the last ranks.
  while (lines.size() > std::max<std::size_t>(rows, 2)) lines.erase(lines.end() - 2);
  std::string picture;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = fitting(lines[i], columns);
    if (i == 0) line = style.bold(line);
    if (i + 1 == lines.size() && watch.are_cards_idle) line = style.red(line);
    picture += concat(i == 0 ? "" : "\n", line);
  }
  return picture;
}

}  // namespace topsctl
