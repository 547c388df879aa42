// Renders a benchmark.
#include "cli/training/bench_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/finding_text.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/benchmark_note.hpp"
#include "topsctl/host/system/host.hpp"

namespace topsctl {

namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr double few = 10;
constexpr double many = 100;

// Three significant digits: "0.0123", "1.23", "12.3", "123".
std::string three_digits(double number) {
  constexpr double most = 1e15;
  if (number <= 0) return "0";
  if (number > most) return concat("> ", static_cast<std::int64_t>(most));
  const auto digits = static_cast<int>(std::floor(std::log10(number)));
  constexpr int shown = 2;
  const int places = std::clamp(shown - digits, 0, 6);
  double scale = 1;
  for (int i = 0; i < places; ++i) scale *= few;
  std::string text = concat(static_cast<std::int64_t>(std::llround(number * scale)));
  if (places == 0) return text;
  const auto wanted = static_cast<std::size_t>(places) + 1;
  if (text.size() < wanted) text.insert(0, wanted - text.size(), '0');
  return text.insert(text.size() - static_cast<std::size_t>(places), ".");
}

std::string time_text(double us) {
  constexpr double us_per_ms = 1000;
  constexpr double us_per_s = 1'000'000;
  if (us < us_per_ms) return concat(three_digits(us), " us");
  if (us < us_per_s) return concat(three_digits(us / us_per_ms), " ms");
  return concat(three_digits(us / us_per_s), " s");
}

std::string percent(double share) {
  return concat(static_cast<std::int64_t>(std::llround(share * many)), " %");
}

double best_of(const std::vector<double>& rates) {
  return *std::max_element(rates.begin(), rates.end());
}

Rows measurement_rows(const Benchmark& benchmark) {
  Rows rows = {{"operation", "size", "time", "algorithm GB/s", "bus GB/s"}};
  for (const Measurement& each : benchmark.measurements) {
    const bool is_other = each.backend != benchmark.backend;
    rows.push_back({is_other ? concat(each.operation, " (", each.backend, ")") : each.operation,
                    human_size(each.bytes), time_text(each.time_us),
                    three_digits(each.algorithm_gb_s), three_digits(each.bus_gb_s)});
  }
  return rows;
}

std::string copy_name(const std::string& what) {
  if (what == "to_card") return format("copy to the card");
  if (what == "from_card") return format("copy from the card");
  if (what == "on_card") return format("copy on the card");
  if (what == "memory") return format("copy in memory");
  return what;
}

struct Spread {
  std::vector<double> rates;
  std::vector<std::string> row(const std::string& what) {
    std::sort(rates.begin(), rates.end());
    return {what, three_digits(rates.front()), three_digits(rates[rates.size() / 2]),
            three_digits(rates.back())};
  }
};

Rows spread_rows(const Benchmark& benchmark) {
  Rows rows = {{"copies and links, GB/s", "slowest", "median", "fastest"}};
  std::map<std::string, Spread> copies;
  for (const CopyRate& copy : benchmark.copies)
    copies[copy.what].rates.push_back(best_of(copy.gb_s));
  for (auto& [what, spread] : copies) rows.push_back(spread.row(copy_name(what)));
  Spread links;
  for (const LinkRate& link : benchmark.links) links.rates.push_back(best_of(link.gb_s));
  if (!links.rates.empty()) rows.push_back(links.row(format("link between two ranks")));
  return rows;
}

std::string straggler_text(const Benchmark& benchmark, const Straggler& each) {
  const BenchmarkRank& rank = benchmark.ranks.at(static_cast<std::size_t>(each.rank));
  const std::string what = each.what == "link" ? format("link") : copy_name(each.what);
  const std::string rates = format("{} GB/s, {} of the others' {}", three_digits(each.gb_s),
                                   percent(each.median_gb_s > 0 ? each.gb_s / each.median_gb_s : 0),
                                   three_digits(each.median_gb_s));
  switch (each.kind) {
    case Straggler::Kind::host:
      return format("host {} is slow: {}: {}", rank.host, what, rates);
    case Straggler::Kind::link:
      return format("the link between ranks {} and {} is slow: {}", each.rank, *each.partner,
                    rates);
    case Straggler::Kind::rank:
      break;
  }
  return format("rank {} is slow (host {}, card {}): {}: {}", each.rank, rank.host, rank.card, what,
                rates);
}

std::string shortfall_text(const Shortfall& each) {
  return format("{}, {}: {} GB/s, {} of the baseline's {}", each.operation, human_size(each.bytes),
                three_digits(each.bus_gb_s),
                percent(each.baseline_gb_s > 0 ? each.bus_gb_s / each.baseline_gb_s : 0),
                three_digits(each.baseline_gb_s));
}

std::string title_of(const Benchmark& benchmark) {
  const std::string where =
      benchmark.device == "cpu" ? format("on the CPU, not on cards") : format("on cards");
  return format("{} on {}, {}; PyTorch {}, Python {}", benchmark.backend,
                counted(benchmark.ranks.size(), "rank"), where, benchmark.torch, benchmark.python);
}

std::string state_of(const BenchmarkVerdict& verdict) {
  std::vector<std::string> parts;
  parts.push_back(verdict.stragglers.empty() ? format("no rank or link is slower than its equals")
                                             : counted(verdict.stragglers.size(), "straggler"));
  if (verdict.has_baseline) {
    parts.push_back(
        verdict.shortfalls.empty()
            ? format("as fast as the baseline")
            : format("{} below the baseline", counted(verdict.shortfalls.size(), "measurement")));
  }
  return joined(parts, "; ");
}

}  // namespace

std::vector<std::string> complaints_of(const Benchmark& benchmark,
                                       const BenchmarkVerdict& verdict) {
  std::vector<std::string> lines;
  for (const Straggler& each : verdict.stragglers) lines.push_back(straggler_text(benchmark, each));
  for (const Shortfall& each : verdict.shortfalls) lines.push_back(shortfall_text(each));
  return lines;
}

std::string benchmark_line(const Json& json) {
  const auto note = benchmark_note_in(json);
  if (!note) return {};
  const std::string speed =
      format("{}, {}: {} GB/s, {} on {}, {}", note->operation, human_size(note->bytes),
             three_digits(note->bus_gb_s), note->backend,
             counted(static_cast<std::size_t>(note->ranks), "rank"),
             local_minute(time_of(note->measured_at)));
  if (note->stragglers == 0) return speed;
  return concat(speed, ", ", counted(static_cast<std::size_t>(note->stragglers), "straggler"));
}

std::string benchmark_text(const Benchmark& benchmark, const BenchmarkVerdict& verdict,
                           const Style& style) {
  std::string text =
      fitted_lines(concat(style.bold(format("bench")), " ", title_of(benchmark), "\n"), style);
  text += table(measurement_rows(benchmark), style);
  for (const auto& [operation, reason] : benchmark.unsupported)
    text += fitted_lines(format("{} is not measured: {}\n", operation, reason), style);
  const Rows spread = spread_rows(benchmark);
  if (spread.size() > 1) text += table(spread, style);
  for (const std::string& line : complaints_of(benchmark, verdict))
    text += fitted_lines(concat(style.red(line), "\n"), style);
  return text +
         fitted_lines(concat(style.bold(format("state:")), " ", state_of(verdict), "\n"), style);
}

ReportPage benchmark_page(const Benchmark& benchmark, const BenchmarkVerdict& verdict) {
  ReportPage page;
  page.title = title_of(benchmark);
  page.failed = !verdict.stragglers.empty() || !verdict.shortfalls.empty();
  page.facts.emplace_back(format("state"), state_of(verdict));
  for (const std::string& line : complaints_of(benchmark, verdict))
    page.facts.emplace_back(format("slow"), line);
  page.picture = bandwidth_plot(benchmark);
  page.sections.push_back({format("Operations"), measurement_rows(benchmark)});
  page.sections.push_back({format("Copies and links"), spread_rows(benchmark)});
  return page;
}

}  // namespace topsctl
