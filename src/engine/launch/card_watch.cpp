// Combines cards, processes and ranks.
#include "topsctl/engine/launch/card_watch.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

template <class Number>
Json number_or_null(const std::optional<Number>& number) {
  return number ? Json(*number) : Json(nullptr);
}

const JobProcess* on_card(const std::vector<JobProcess>& processes, std::int64_t card) {
  const auto found = std::find_if(processes.begin(), processes.end(), [&](const JobProcess& each) {
    return std::find(each.cards.begin(), each.cards.end(), card) != each.cards.end();
  });
  return found == processes.end() ? nullptr : &*found;
}

// In a label of the exposition format, these three are escaped.
std::string label_value(const std::string& text) {
  std::string value;
  for (const char c : text) {
    if (c == '\n') {
      value += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') value.push_back('\\');
    value.push_back(c);
  }
  return value;
}

// The total of the last bandwidths of all ports.
std::optional<double> bandwidth_of(const std::vector<FlowPort>& ports) {
  std::optional<double> sum;
  for (const FlowPort& port : ports) {
    if (port.values.count > 0) sum = sum.value_or(0) + port.values.last;
  }
  return sum;
}

// Of the host and of the training on it.
std::string host_metrics(const CardWatch& watch, const std::string& host_name) {
  const auto number = [](const std::optional<std::int64_t>& value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  struct Sample {
    const char* name;
    const char* help;
    std::optional<double> value;
  };
  const std::vector<Sample> samples = {
      {"topsctl_host_cpu_percent", "Use of all processors in percent.", watch.host.cpu_percent},
      {"topsctl_host_memory_total_bytes", "Memory of the host.",
       number(watch.host.memory_total_bytes)},
      {"topsctl_host_memory_available_bytes", "Memory of the host that programs can still get.",
       number(watch.host.memory_available_bytes)},
      {"topsctl_telemetry_bandwidth_gbps", "What all ports send, in Gbit/s.",
       bandwidth_of(watch.ports)},
      {"topsctl_training_iterations_per_second", "Iterations of the training in a second.",
       watch.throughput.iterations_per_second},
      {"topsctl_training_samples_per_second", "Samples of all ranks in a second.",
       watch.throughput.samples_per_second},
      {"topsctl_training_global_batch", "Samples of an iteration.",
       number(watch.throughput.global_batch)}};
  std::string text;
  for (const Sample& sample : samples) {
    if (!sample.value) continue;
    text += concat("# HELP ", sample.name, " ", sample.help, "\n# TYPE ", sample.name, " gauge\n",
                   sample.name, "{host=\"", label_value(host_name), "\"} ", to_line(*sample.value),
                   "\n");
  }
  return text;
}

// For each interface and port.
std::string network_metrics(const CardWatch& watch, const std::string& host_name) {
  struct Direction {
    const char* name;
    const char* help;
    std::optional<double> NetworkRate::*rate;
  };
  std::string text;
  for (const Direction& each :
       {Direction{"topsctl_network_received_bytes_per_second", "Bytes received in a second.",
                  &NetworkRate::received_bytes_per_second},
        Direction{"topsctl_network_sent_bytes_per_second", "Bytes sent in a second.",
                  &NetworkRate::sent_bytes_per_second}}) {
    std::string samples;
    for (const NetworkRate& rate : watch.network) {
      if (rate.*each.rate)
        samples += concat(each.name, "{interface=\"", label_value(rate.name), "\",host=\"",
                          label_value(host_name), "\"} ", to_line(*(rate.*each.rate)), "\n");
    }
    if (!samples.empty())
      text +=
          concat("# HELP ", each.name, " ", each.help, "\n# TYPE ", each.name, " gauge\n", samples);
  }
  return text;
}

struct Metric {
  const char* name;
  const char* help;
  std::function<std::optional<double>(const CardReading&)> value;
};

const std::vector<Metric>& metrics() {
  const auto bytes = [](const std::optional<std::int64_t>& number) {
    return number ? std::optional(static_cast<double>(*number)) : std::nullopt;
  };
  static const std::vector<Metric> all = {
      {"usage", "Utilization in percent.",
       [](const CardReading& card) { return card.utilization_percent; }},
      {"memory_total_bytes", "Memory of the card.",
       [bytes](const CardReading& card) { return bytes(card.memory_total_bytes); }},
      {"memory_used_bytes", "Memory that is in use.",
       [bytes](const CardReading& card) { return bytes(card.memory_used_bytes); }},
      {"temperatures", "Temperature in degrees Celsius.",
       [bytes](const CardReading& card) { return bytes(card.temperature_c); }},
      {"power_consumption", "Power in watts.",
       [](const CardReading& card) { return card.power_w; }},
      {"power_capability", "Limit of the power in watts.",
       [](const CardReading& card) { return card.power_cap_w; }},
  };
  return all;
}

}  // namespace

CardWatch card_watch(const MachineState& state) {
  CardWatch watch;
  watch.tool = state.tool;
  watch.failure = state.efsmi_failure;
  if (state.cards) {
    watch.is_known = true;
    watch.busy = 0;
    for (const CardReading& reading : state.cards->cards) {
      WatchedCard card{reading, {}, {}};
      if (const JobProcess* process = on_card(state.processes, reading.index)) {
        card.pid = process->pid;
        card.rank = process->rank;
      }
      if (is_busy(reading) && watch.busy) ++*watch.busy;
      if (!reading.utilization_percent) watch.busy.reset();
      watch.cards.push_back(std::move(card));
    }
  }
  for (const JobProcess& process : state.processes) {
    if (!process.rank) continue;
    WatchedRank& rank = watch.ranks.emplace_back();
    rank.rank = *process.rank;
    rank.pid = process.pid;
    rank.state = process.state;
    rank.cards = process.cards;
    rank.is_working = !is_still(state, process);
  }
  std::stable_sort(watch.ranks.begin(), watch.ranks.end(),
                   [](const WatchedRank& a, const WatchedRank& b) { return a.rank < b.rank; });
  watch.are_cards_idle = !watch.ranks.empty() && watch.busy == std::size_t{0};
  return watch;
}

void add_throughput(CardWatch& watch, std::optional<std::int64_t> global_batch) {
  std::optional<double> pace;  // of the slowest rank: the others wait for it
  for (const WatchedRank& rank : watch.ranks) {
    if (rank.iterations_per_second && (!pace || *rank.iterations_per_second < *pace))
      pace = rank.iterations_per_second;
  }
  watch.throughput = throughput_of(pace, global_batch);
  std::optional<double> use;
  std::optional<double> memory;
  std::size_t cards = 0;
  constexpr double percent = 100;
  for (const WatchedCard& card : watch.cards) {
    const CardReading& reading = card.reading;
    if (!card.rank || !reading.utilization_percent) continue;
    use = use.value_or(0) + *reading.utilization_percent;
    ++cards;
    if (reading.memory_used_bytes && reading.memory_total_bytes && *reading.memory_total_bytes > 0)
      memory =
          std::max(memory.value_or(0), percent * static_cast<double>(*reading.memory_used_bytes) /
                                           static_cast<double>(*reading.memory_total_bytes));
  }
  if (use) *use /= static_cast<double>(cards);
  watch.advice = advice_on(watch.host, watch.ranks.size(), use, memory);
}

Json to_json(const CardWatch& watch, const Judgement& judgement) {
  Json cards = Json::array();
  for (const WatchedCard& card : watch.cards) {
    const CardReading& reading = card.reading;
    cards.push_back(
        {{"index", reading.index},
         {"model", text_or_null(reading.model)},
         {"state", text_or_null(reading.state)},
         {"temperature_c", number_or_null(reading.temperature_c)},
         {"power_w", number_or_null(reading.power_w)},
         {"power_cap_w", number_or_null(reading.power_cap_w)},
         {"memory_total_bytes", number_or_null(reading.memory_total_bytes)},
         {"memory_used_bytes", number_or_null(reading.memory_used_bytes)},
         {"utilization_percent", number_or_null(reading.utilization_percent)},
         {"is_busy", reading.utilization_percent ? Json(is_busy(reading)) : Json(nullptr)},
         {"uuid", text_or_null(reading.serial)},
         {"pid", number_or_null(card.pid)},
         {"rank", number_or_null(card.rank)}});
  }
  Json ranks = Json::array();
  for (const WatchedRank& rank : watch.ranks) {
    ranks.push_back({{"rank", rank.rank},
                     {"pid", rank.pid},
                     {"state", text_or_null(rank.state)},
                     {"cards", rank.cards},
                     {"is_working", rank.is_working},
                     {"last_line", text_or_null(rank.last_line)},
                     {"iteration", text_or_null(rank.iteration)},
                     {"iterations_per_second", number_or_null(rank.iterations_per_second)}});
  }
  Json network = Json::array();
  for (const NetworkRate& rate : watch.network) network.push_back(to_json(rate));
  Json ports = Json::array();
  for (const FlowPort& port : watch.ports) ports.push_back(to_json(port));
  return {{"source", watch.is_known ? watch.tool : std::string("unknown")},
          {"failure", text_or_null(watch.failure)},
          {"cards", std::move(cards)},
          {"ranks", std::move(ranks)},
          {"cards_busy", number_or_null(watch.busy)},
          {"idle_alarm", watch.are_cards_idle},
          {"telemetry", std::move(ports)},
          {"bandwidth_gbps", number_or_null(bandwidth_of(watch.ports))},
          {"host", to_json(watch.host)},
          {"network", std::move(network)},
          {"throughput", to_json(watch.throughput)},
          {"advice", watch.advice},
          {"benchmark", to_json(watch.benchmark)},
          {"verdict", name(judgement.verdict)},
          {"first_cause", text_or_null(judgement.first_cause)}};
}

std::string prometheus_text(const CardWatch& watch, const std::string& prefix,
                            const std::string& host_name) {
  std::string text;
  for (const Metric& metric : metrics()) {
    const std::string metric_name = concat(prefix, "_", metric.name);
    std::string samples;
    for (const WatchedCard& card : watch.cards) {
      const auto value = metric.value(card.reading);
      if (!value) continue;
      samples +=
          concat(metric_name, "{index=\"", card.reading.index, "\",busid=\"",
                 label_value(card.reading.bus_id), "\",uuid=\"", label_value(card.reading.serial),
                 "\",host=\"", label_value(host_name), "\"} ", to_line(*value), "\n");
    }
    if (samples.empty()) continue;
    text += concat("# HELP ", metric_name, " ", metric.help, "\n# TYPE ", metric_name, " gauge\n",
                   samples);
  }
  if (watch.is_known) {
    text += concat("# HELP topsctl_cards_idle Whether ranks run and no card is busy.\n",
                   "# TYPE topsctl_cards_idle gauge\ntopsctl_cards_idle{host=\"",
                   label_value(host_name), "\"} ", watch.are_cards_idle ? 1 : 0, "\n");
  }
  return text + host_metrics(watch, host_name) + network_metrics(watch, host_name);
}

}  // namespace topsctl
