// How fast a training goes, and what its host could do better. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topsctl/host/facts/host_load.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct Throughput {
  std::optional<double> iterations_per_second;
  std::optional<std::int64_t> global_batch;  // samples of an iteration, by the script's arguments
  std::optional<double> samples_per_second;
  bool operator==(const Throughput&) const = default;
};
// {iterations_per_second, global_batch, samples_per_second}
Json to_json(const Throughput& throughput);
// {cpus, cpu_percent, memory_total_bytes, memory_available_bytes}
Json to_json(const HostLoad& load);

Throughput throughput_of(std::optional<double> iterations_per_second,
                         std::optional<std::int64_t> global_batch);

// Sentences on workers and memory, by what was measured; empty: nothing is known to be better.
// `use` and `memory` are those of the cards with ranks, in percent: the mean and the highest.
std::vector<std::string> advice_on(const HostLoad& load, std::size_t ranks,
                                   std::optional<double> use, std::optional<double> memory);

}  // namespace topsctl
