// The result of this user's last benchmark on a host, kept for `topsctl status` and `topsctl
// watch`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "topsctl/engine/launch/benchmark.hpp"
#include "topsctl/host/system/host.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct BenchmarkNote {
  std::string measured_at;  // RFC 3339, UTC
  std::string backend;
  std::string device;  // "cpu", or the kind of card
  std::int64_t ranks = 0;
  std::string operation;    // its measurement with the most bytes: the first operation's
  std::uint64_t bytes = 0;  // as nccl-tests count them
  double bus_gb_s = 0;
  std::int64_t stragglers = 0;
};

// Of a complete benchmark.
BenchmarkNote note_of(const Benchmark& benchmark, std::size_t stragglers,
                      const std::string& measured_at);
// `own`: the host with the state of this user. A note that cannot be written is left out.
void write_note(const Host& own, const BenchmarkNote& note);
// Nothing: no host has written it so.
std::optional<BenchmarkNote> benchmark_note_in(const Json& json);
// Nothing: it does not exist, or is not as it was written.
std::optional<BenchmarkNote> last_benchmark(const Host& own);
Json to_json(const std::optional<BenchmarkNote>& note);

}  // namespace topsctl
