// Reads and writes what the benchmark measured.
#include "topsctl/engine/launch/benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "topsctl/base/embedded.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr std::string_view mark = "TOPSCTL_BENCH ";
constexpr std::size_t most_lines = 1'000'000;
constexpr std::size_t longest_text = 300;
constexpr std::int64_t most_rank_number = 65'536;
constexpr std::size_t most_group = 512;
constexpr std::size_t most_pairs = most_group * (most_group - 1) / 2;

struct InvalidNumber : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double number_at(const Json& json, const char* key) {
  const double value = json.at(key).get<double>();
  if (!std::isfinite(value) || value < 0) throw InvalidNumber(key);
  return value;
}

std::int64_t rank_in(const Json& json) {
  const auto rank = json.get<std::int64_t>();
  if (rank < 0 || rank > most_rank_number) throw InvalidNumber("rank");
  return rank;
}

std::vector<double> numbers_at(const Json& json, const char* key) {
  std::vector<double> numbers;
  for (const Json& each : json.at(key)) {
    numbers.push_back(each.get<double>());
    if (!std::isfinite(numbers.back()) || numbers.back() < 0) throw InvalidNumber(key);
  }
  return numbers;
}

// Control characters would reach the terminal.
std::string text_at(const Json& json, const char* key) {
  return printable(json.at(key).get<std::string>().substr(0, longest_text));
}

Measurement measurement_in(const Json& json) {
  return {.backend = text_at(json, "backend"),
          .operation = text_at(json, "operation"),
          .bytes = json.at("bytes").get<std::uint64_t>(),
          .iterations = json.at("iterations").get<std::int64_t>(),
          .time_us = number_at(json, "time_us"),
          .least_us = number_at(json, "least_us"),
          .most_us = number_at(json, "most_us"),
          .algorithm_gb_s = number_at(json, "algorithm_gb_s"),
          .bus_gb_s = number_at(json, "bus_gb_s")};
}

CopyRate copy_in(const Json& json) {
  return {text_at(json, "what"), rank_in(json.at("rank")), numbers_at(json, "gb_s")};
}

LinkRate link_in(const Json& json) {
  return {rank_in(json.at("ranks").at(0)), rank_in(json.at("ranks").at(1)),
          numbers_at(json, "latency_us"), numbers_at(json, "gb_s")};
}

void take(const Json& line, Benchmark& benchmark) {
  const auto kind = line.at("kind").get<std::string>();
  if (kind == "group") {
    benchmark.backend = text_at(line, "backend");
    benchmark.device = text_at(line, "device");
    benchmark.torch = text_at(line, "torch");
    benchmark.python = text_at(line, "python");
  } else if (kind == "rank") {
    if (benchmark.ranks.size() == most_group) throw InvalidNumber("ranks");
    benchmark.ranks.push_back({text_at(line, "host"), line.at("local_rank").get<std::int64_t>()});
  } else if (kind == "measurement") {
    benchmark.measurements.push_back(measurement_in(line));
  } else if (kind == "unsupported") {
    benchmark.unsupported[text_at(line, "operation")] = text_at(line, "reason");
  } else if (kind == "copy") {
    benchmark.copies.push_back(copy_in(line));
  } else if (kind == "link") {
    if (benchmark.links.size() == most_pairs) throw InvalidNumber("links");
    benchmark.links.push_back(link_in(line));
  } else if (kind == "end") {
    benchmark.is_complete = !benchmark.ranks.empty() && !benchmark.measurements.empty();
  }
}

bool has_rank(const Benchmark& benchmark, std::int64_t rank) {
  return rank < static_cast<std::int64_t>(benchmark.ranks.size());
}

// What names a rank that the group does not have would be judged wrongly.
void drop_unknown_ranks(Benchmark& benchmark) {
  std::erase_if(benchmark.copies, [&](const CopyRate& copy) {
    return !has_rank(benchmark, copy.rank) || copy.gb_s.empty();
  });
  std::erase_if(benchmark.links, [&](const LinkRate& link) {
    return !has_rank(benchmark, link.first) || !has_rank(benchmark, link.second) ||
           link.gb_s.empty() || link.latency_us.empty();
  });
}

}  // namespace

const std::vector<std::string>& benchmark_operations() {
  static const std::vector<std::string> names = {"all_reduce", "all_gather", "reduce_scatter",
                                                 "broadcast", "send_recv"};
  return names;
}

ShimFile benchmark_program() {
  return {"topsctl_benchmark.py", std::string(*embedded_file("probes/benchmark.py"))};
}

std::string benchmark_argument(const BenchmarkWishes& wishes, const Stack& stack) {
  return to_line({{"module", stack.backend.module},
                  {"device", stack.backend.device},
                  {"backend", wishes.backend},
                  {"operations", wishes.operations},
                  {"sizes", wishes.sizes},
                  {"duration_ms", wishes.duration_ms}});
}

Benchmark benchmark_in(std::string_view log) {
  Benchmark benchmark;
  std::size_t lines = 0;
  for (const std::string& line : split(log, '\n')) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos || ++lines > most_lines) continue;
    const Json json = json_or_null(line.substr(at + mark.size()));
    if (!json.is_object()) continue;
    try {
      take(json, benchmark);
    } catch (const Json::exception&) {
      continue;
    } catch (const InvalidNumber&) {
      continue;
    }
  }
  drop_unknown_ranks(benchmark);
  return benchmark;
}

Json to_json(const Benchmark& benchmark) {
  Json ranks = Json::array();
  for (std::size_t i = 0; i < benchmark.ranks.size(); ++i)
    ranks.push_back(
        {{"rank", i}, {"host", benchmark.ranks[i].host}, {"local_rank", benchmark.ranks[i].card}});
  Json measurements = Json::array();
  for (const Measurement& each : benchmark.measurements)
    measurements.push_back({{"backend", each.backend},
                            {"operation", each.operation},
                            {"bytes", each.bytes},
                            {"iterations", each.iterations},
                            {"time_us", each.time_us},
                            {"least_us", each.least_us},
                            {"most_us", each.most_us},
                            {"algorithm_gb_s", each.algorithm_gb_s},
                            {"bus_gb_s", each.bus_gb_s}});
  Json unsupported = Json::array();
  for (const auto& [operation, reason] : benchmark.unsupported)
    unsupported.push_back({{"operation", operation}, {"reason", reason}});
  Json copies = Json::array();
  for (const CopyRate& each : benchmark.copies)
    copies.push_back({{"what", each.what}, {"rank", each.rank}, {"gb_s", each.gb_s}});
  Json links = Json::array();
  for (const LinkRate& each : benchmark.links)
    links.push_back({{"ranks", {each.first, each.second}},
                     {"latency_us", each.latency_us},
                     {"gb_s", each.gb_s}});
  return {{"backend", text_or_null(benchmark.backend)},
          {"device", text_or_null(benchmark.device)},
          {"torch", text_or_null(benchmark.torch)},
          {"python", text_or_null(benchmark.python)},
          {"ranks", std::move(ranks)},
          {"measurements", std::move(measurements)},
          {"unsupported", std::move(unsupported)},
          {"copies", std::move(copies)},
          {"links", std::move(links)}};
}

Benchmark benchmark_in_report(std::string_view text, const std::string& source) {
  const auto wrong = [&](const std::string& reason) {
    return Error(ErrorCode::bad_input,
                 format("{} is not a report of `topsctl bench`: {}", source, reason),
                 "make one on a healthy host: topsctl bench --json > FILE");
  };
  const Json report = json_or_null(text);
  if (!report.is_object()) throw wrong("it is no JSON object");
  Benchmark benchmark;
  try {
    for (const char* key : {"backend", "device", "torch", "python"}) {
      if (report.at(key).is_null()) throw wrong(format("it has no {}", key));
    }
    take({{"kind", "group"},
          {"backend", report.at("backend")},
          {"device", report.at("device")},
          {"torch", report.at("torch")},
          {"python", report.at("python")}},
         benchmark);
    for (const Json& rank : report.at("ranks"))
      benchmark.ranks.push_back({text_at(rank, "host"), rank.at("local_rank").get<std::int64_t>()});
    for (const Json& each : report.at("measurements"))
      benchmark.measurements.push_back(measurement_in(each));
    for (const Json& each : report.at("copies")) benchmark.copies.push_back(copy_in(each));
    for (const Json& each : report.at("links")) benchmark.links.push_back(link_in(each));
  } catch (const Json::exception&) {
    throw wrong("a field is missing or has another type");
  } catch (const InvalidNumber& error) {
    throw wrong(format("invalid {}", error.what()));
  }
  drop_unknown_ranks(benchmark);
  benchmark.is_complete = true;
  return benchmark;
}

}  // namespace topsctl
