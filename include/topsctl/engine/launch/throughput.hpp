// The speed of a training, and advice for its host. Plain values.
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
  std::optional<std::int64_t> global_batch;  // samples per iteration, from the script's arguments
  std::optional<double> samples_per_second;
  bool operator==(const Throughput&) const = default;
};
// {iterations_per_second, global_batch, samples_per_second}
Json to_json(const Throughput& throughput);
// {cpus, cpu_percent, memory_total_bytes, memory_available_bytes}
Json to_json(const HostLoad& load);

Throughput throughput_of(std::optional<double> iterations_per_second,
                         std::optional<std::int64_t> global_batch);

// Advice on workers and memory, from measurements; may be empty. `use` and `memory` are
// the mean utilization and the highest memory use of the cards with ranks, in percent.
std::vector<std::string> advice_on(const HostLoad& load, std::size_t ranks,
                                   std::optional<double> use, std::optional<double> memory);

}  // namespace topsctl
