// What the benchmark of a stack's collectives measured, and what it says of cards and links. Plain
// values. The program that measures is src/data/probes/benchmark.py.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topsctl/engine/launch/shim.hpp"
#include "topsctl/model/json.hpp"
#include "topsctl/model/stack/stack.hpp"

namespace topsctl {

inline constexpr std::string_view cpu_backend = "gloo";  // of PyTorch itself

struct BenchmarkWishes {
  std::string backend;                  // "eccl", or cpu_backend
  std::vector<std::string> operations;  // names of benchmark_operations()
  std::vector<std::uint64_t> sizes;     // bytes, a multiple of 4; empty: as the device allows
  std::int64_t duration_ms = 0;         // of each measurement
};
const std::vector<std::string>& benchmark_operations();
// The program, to be written to a log directory, and its argument.
ShimFile benchmark_program();
std::string benchmark_argument(const BenchmarkWishes& wishes, const Stack& stack);

// Sizes and bandwidths are those of nccl-tests (doc/PERFORMANCE.md): `bytes` is the whole of
// all_gather and reduce_scatter; the bus bandwidth does not depend on the number of ranks.
struct Measurement {
  std::string backend;
  std::string operation;
  std::uint64_t bytes = 0;
  std::int64_t iterations = 0;
  double time_us = 0;   // mean of the ranks' medians
  double least_us = 0;  // of the ranks' medians
  double most_us = 0;
  double algorithm_gb_s = 0;
  double bus_gb_s = 0;
};

// Copies of one rank; the rates of repeated measurements in GB/s.
struct CopyRate {
  std::string what;  // "memory", "to_card", "from_card", "on_card"
  std::int64_t rank = 0;
  std::vector<double> gb_s;
};

// A ping-pong of two ranks, repeated.
struct LinkRate {
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::vector<double> latency_us;  // one way
  std::vector<double> gb_s;
};

struct BenchmarkRank {
  std::string host;
  std::int64_t card = 0;  // number on its host
};

struct Benchmark {
  std::string backend;  // empty: the group was not made
  std::string device;   // "cpu", or the kind of card
  std::string torch;
  std::string python;
  std::vector<BenchmarkRank> ranks;
  std::vector<Measurement> measurements;
  std::map<std::string, std::string> unsupported;  // operation: reason
  std::vector<CopyRate> copies;
  std::vector<LinkRate> links;
  bool is_complete = false;
};
// From the output of rank 0. Lines of other forms are skipped.
Benchmark benchmark_in(std::string_view log);

// What is slower than its equals in every repetition.
struct Straggler {
  enum class Kind { rank, link, host };
  Kind kind = Kind::rank;
  std::int64_t rank = 0;                // of a host, its first one
  std::optional<std::int64_t> partner;  // the other end of a link
  std::string what;                     // "memory", "to_card", ..., "link"
  double gb_s = 0;
  double median_gb_s = 0;  // of its equals
};
std::string_view name(Straggler::Kind kind);
// A rank is compared with all ranks, a link with those of its kind (within a host, between hosts).
std::vector<Straggler> stragglers_of(const Benchmark& benchmark);

// A measurement below its share of an earlier one.
struct Shortfall {
  std::string backend;
  std::string operation;
  std::uint64_t bytes = 0;
  double bus_gb_s = 0;
  double baseline_gb_s = 0;
};
// Throws Error{bad_input} if a benchmark on so many ranks cannot be compared with the baseline.
void require_same_ranks(std::size_t ranks, const Benchmark& baseline);
// Compares what both have measured. Throws Error{bad_input} if that is nothing, or if the numbers
// of ranks differ.
std::vector<Shortfall> shortfalls_of(const Benchmark& benchmark, const Benchmark& baseline,
                                     double least_share);

Json to_json(const Benchmark& benchmark);
Json to_json(const Straggler& straggler, const Benchmark& benchmark);
Json to_json(const Shortfall& shortfall);
// The report of `topsctl bench`, as printed with --json. Throws Error{bad_input} with the reason.
Benchmark benchmark_in_report(std::string_view text, const std::string& source);

}  // namespace topsctl
