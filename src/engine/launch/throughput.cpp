// Judges the measurements.
#include "topsctl/engine/launch/throughput.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

// In percent.
constexpr double waiting_cards = 60;  // and below: they wait for something
constexpr double idle_cpu = 50;
constexpr double busy_cpu = 90;
constexpr double scarce_memory = 10;  // of the host, available
constexpr double full_card = 95;

template <class Value>
Json known_or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string rounded(double number) {
  constexpr double half = 0.5;
  return concat(static_cast<std::int64_t>(number + half));
}

}  // namespace

Json to_json(const Throughput& throughput) {
  return {{"iterations_per_second", known_or_null(throughput.iterations_per_second)},
          {"global_batch", known_or_null(throughput.global_batch)},
          {"samples_per_second", known_or_null(throughput.samples_per_second)}};
}

Json to_json(const HostLoad& load) {
  return {{"cpus", load.cpus},
          {"cpu_percent", known_or_null(load.cpu_percent)},
          {"memory_total_bytes", known_or_null(load.memory_total_bytes)},
          {"memory_available_bytes", known_or_null(load.memory_available_bytes)}};
}

Throughput throughput_of(std::optional<double> iterations_per_second,
                         std::optional<std::int64_t> global_batch) {
  Throughput throughput{iterations_per_second, global_batch, std::nullopt};
  if (iterations_per_second && global_batch)
    throughput.samples_per_second = *iterations_per_second * static_cast<double>(*global_batch);
  return throughput;
}

std::vector<std::string> advice_on(const HostLoad& load, std::size_t ranks,
                                   std::optional<double> use, std::optional<double> memory) {
  std::vector<std::string> advice;
  if (ranks == 0) return advice;
  constexpr double percent = 100;
  const std::int64_t share =
      std::max<std::int64_t>(1, load.cpus / static_cast<std::int64_t>(ranks));
  if (load.memory_total_bytes && load.memory_available_bytes && *load.memory_total_bytes > 0) {
    const double left = percent * static_cast<double>(*load.memory_available_bytes) /
                        static_cast<double>(*load.memory_total_bytes);
    if (left < scarce_memory)
      advice.push_back(
          format("{} % of the host's memory is left: lower num_workers, or the "
                 "prefetch of each worker",
                 rounded(left)));
  }
  if (use && *use < waiting_cards && load.cpu_percent) {
    if (*load.cpu_percent > busy_cpu)
      advice.push_back(
          format("the cards are used to {} % and wait for the processors ({} %): at "
                 "most {} num_workers per rank, or cheaper preprocessing",
                 rounded(*use), rounded(*load.cpu_percent), share));
    else if (*load.cpu_percent < idle_cpu)
      advice.push_back(
          format("the cards are used to {} % and the processors to {} %: raise "
                 "num_workers, up to {} per rank, or the batch size",
                 rounded(*use), rounded(*load.cpu_percent), share));
  }
  if (memory && *memory > full_card)
    advice.push_back(
        format("the memory of a card is used to {} %: a longer input may not fit; "
               "lower the batch size",
               rounded(*memory)));
  return advice;
}

}  // namespace topsctl
