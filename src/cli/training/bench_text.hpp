// A benchmark as text and as a page.
#pragma once

#include <string>
#include <vector>

#include "cli/render.hpp"
#include "cli/report_page.hpp"
#include "topsctl/engine/launch/benchmark.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {

struct BenchmarkVerdict {
  std::vector<Straggler> stragglers;
  std::vector<Shortfall> shortfalls;
  bool has_baseline = false;
};

std::string benchmark_text(const Benchmark& benchmark, const BenchmarkVerdict& verdict,
                           const Style& style);
// The same with a plot of the bus bandwidths.
ReportPage benchmark_page(const Benchmark& benchmark, const BenchmarkVerdict& verdict);
// A line for each straggler and each shortfall.
std::vector<std::string> complaints_of(const Benchmark& benchmark, const BenchmarkVerdict& verdict);
// Of the note that documents of `topsctl status` and `topsctl watch` have; empty: without one.
std::string benchmark_line(const Json& note);
// An SVG document: bus bandwidth by size, both logarithmic, one line per operation. Empty: nothing
// was measured.
std::string bandwidth_plot(const Benchmark& benchmark);

}  // namespace topsctl
