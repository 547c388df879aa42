// Plots bandwidths as SVG.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "cli/training/bench_text.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {

namespace {

constexpr double width = 640;
constexpr double height = 360;
constexpr double left = 70;
constexpr double right = 150;  // with the names of the lines
constexpr double top = 20;
constexpr double bottom = 45;
// Distinct for people who see no red or green (Okabe and Ito), and by their dashes.
constexpr std::array<const char*, 6> colours = {"#0072b2", "#d55e00", "#009e73",
                                                "#cc79a7", "#8a6d00", "#56b4e9"};
constexpr std::array<const char*, 6> dashes = {"none", "8 3", "3 3", "12 4 3 4", "1 4", "6 6"};

// Logarithmic; the range has at least one decade.
struct Axis {
  double least;
  double most;
  double from;  // in the picture
  double to;
  double at(double value) const {
    return from + (std::log10(value) - least) / (most - least) * (to - from);
  }
};

std::string coordinate(double value) {
  return concat(static_cast<std::int64_t>(std::llround(value)));
}

std::string power_of_ten(double exponent) {
  std::string text = "1";
  if (exponent >= 0) return text.append(static_cast<std::size_t>(exponent), '0');
  return concat("0.", std::string(static_cast<std::size_t>(-exponent) - 1, '0'), "1");
}

std::string text_at(double x, double y, std::string_view anchor, const std::string& text) {
  return concat("<text x=\"", coordinate(x), "\" y=\"", coordinate(y), "\" text-anchor=\"", anchor,
                "\">", text, "</text>\n");
}

std::string line_between(double x1, double y1, double x2, double y2) {
  return concat("<line class=\"grid\" x1=\"", coordinate(x1), "\" y1=\"", coordinate(y1),
                "\" x2=\"", coordinate(x2), "\" y2=\"", coordinate(y2), "\"/>\n");
}

using Series = std::map<std::string, std::vector<std::pair<double, double>>>;

Series series_of(const Benchmark& benchmark) {
  Series all;
  for (const Measurement& each : benchmark.measurements) {
    if (each.bus_gb_s <= 0 || each.bytes == 0) continue;
    const bool is_other = each.backend != benchmark.backend;
    // Names of operations come from ranks; only letters, digits and '_' reach the picture.
    std::string name = is_other ? concat(each.operation, " (", each.backend, ")") : each.operation;
    std::erase_if(name, [](char c) { return c == '<' || c == '&' || c == '>'; });
    all[name].emplace_back(static_cast<double>(each.bytes), each.bus_gb_s);
  }
  return all;
}

std::string grid(const Axis& sizes, const Axis& rates) {
  std::string text;
  for (double exponent = rates.least; exponent <= rates.most; ++exponent) {
    const double y = rates.at(std::pow(10.0, exponent));
    text += line_between(left, y, width - right, y);
    text += text_at(left - 6, y + 4, "end", power_of_ten(exponent));
  }
  constexpr double factor = 16;
  for (double bytes = 1024; std::log10(bytes) <= sizes.most; bytes *= factor) {
    if (std::log10(bytes) < sizes.least) continue;
    const double x = sizes.at(bytes);
    text += line_between(x, top, x, height - bottom);
    text +=
        text_at(x, height - bottom + 16, "middle", human_size(static_cast<std::uint64_t>(bytes)));
  }
  text += text_at((left + width - right) / 2, height - 8, "middle", format("size"));
  text += concat("<text transform=\"rotate(-90)\" x=\"", coordinate(-(height - bottom + top) / 2),
                 "\" y=\"16\" text-anchor=\"middle\">", format("bus bandwidth, GB/s"), "</text>\n");
  return text;
}

}  // namespace

std::string bandwidth_plot(const Benchmark& benchmark) {
  const Series all = series_of(benchmark);
  if (all.empty()) return {};
  std::vector<double> xs;
  std::vector<double> ys;
  for (const auto& [name, points] : all) {
    for (const auto& [x, y] : points) {
      xs.push_back(std::log10(x));
      ys.push_back(std::log10(y));
    }
  }
  const auto [least_x, most_x] = std::minmax_element(xs.begin(), xs.end());
  const auto [least_y, most_y] = std::minmax_element(ys.begin(), ys.end());
  const Axis sizes{*least_x, std::max(*most_x, *least_x + 1), left, width - right};
  const double lowest = std::floor(*least_y);
  const Axis rates{lowest, std::max(std::ceil(*most_y), lowest + 1), height - bottom, top};
  std::string text = concat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
                            coordinate(width), " ", coordinate(height),
                            "\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\" "
                            "fill=\"currentColor\">\n<title>",
                            format("bus bandwidth by size"),
                            "</title>\n<style>.grid{stroke:#8a8a8a;stroke-width:.5}"
                            "polyline{fill:none;stroke-width:2}</style>\n",
                            grid(sizes, rates));
  std::size_t index = 0;
  for (const auto& [name, points] : all) {
    const char* colour = colours[index % colours.size()];
    std::string path;
    for (const auto& [x, y] : points)
      path +=
          concat(path.empty() ? "" : " ", coordinate(sizes.at(x)), ",", coordinate(rates.at(y)));
    text += concat("<polyline stroke=\"", colour, "\" stroke-dasharray=\"",
                   dashes[index % dashes.size()], "\" points=\"", path, "\"/>\n");
    const double y = top + 14 + 18 * static_cast<double>(index);
    text += concat("<polyline stroke=\"", colour, "\" stroke-dasharray=\"",
                   dashes[index % dashes.size()], "\" points=\"", coordinate(width - right + 8),
                   ",", coordinate(y - 4), " ", coordinate(width - right + 36), ",",
                   coordinate(y - 4), "\"/>\n", text_at(width - right + 42, y, "start", name));
    ++index;
  }
  return text + "</svg>\n";
}

}  // namespace topsctl
