// Finds slow ranks, links and hosts, and compares with an earlier benchmark.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/benchmark.hpp"

namespace topsctl {

namespace {

// Below the reference by this factor in every repetition. Equal ranks on a busy host differ by
// less; links more than copies, because both ends have to be awake.
constexpr double slow_copy = 1.5;
constexpr double slow_link = 2;
constexpr std::size_t least_equals = 2;

double best_of(const std::vector<double>& rates) {
  return *std::max_element(rates.begin(), rates.end());
}

// By their best rates, so that one slow repetition is no accusation. The reference is the upper
// median: of two, the better one.
struct Compared {
  double slow_factor;
  std::vector<double> best = {};

  double reference() const {
    std::vector<double> sorted = best;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  bool is_slow(double rate) const {
    return best.size() >= least_equals && rate * slow_factor < reference();
  }
};

std::vector<Straggler> slow_copies(const Benchmark& benchmark) {
  std::map<std::string, Compared> kinds;
  for (const CopyRate& copy : benchmark.copies)
    kinds.try_emplace(copy.what, Compared{slow_copy})
        .first->second.best.push_back(best_of(copy.gb_s));
  std::vector<Straggler> found;
  for (const CopyRate& copy : benchmark.copies) {
    const Compared& equals = kinds.at(copy.what);
    const double rate = best_of(copy.gb_s);
    if (equals.is_slow(rate))
      found.push_back(
          {Straggler::Kind::rank, copy.rank, std::nullopt, copy.what, rate, equals.reference()});
  }
  return found;
}

bool is_within_host(const Benchmark& benchmark, const LinkRate& link) {
  const auto host = [&](std::int64_t rank) -> const std::string& {
    return benchmark.ranks[static_cast<std::size_t>(rank)].host;
  };
  return host(link.first) == host(link.second);
}

// The best link of each rank: a rank that is slow itself has none that is fast.
std::map<std::int64_t, double> best_links(const Benchmark& benchmark, bool within_host) {
  std::map<std::int64_t, double> best;
  for (const LinkRate& link : benchmark.links) {
    if (is_within_host(benchmark, link) != within_host) continue;
    for (const std::int64_t rank : {link.first, link.second}) {
      double& known = best[rank];
      known = std::max(known, best_of(link.gb_s));
    }
  }
  return best;
}

Compared compared(const std::map<std::int64_t, double>& rates) {
  Compared all{slow_link};
  for (const auto& [rank, rate] : rates) all.best.push_back(rate);
  return all;
}

// Replaces the ranks of a host by the host if each of its ranks is slow.
std::vector<Straggler> by_host(const Benchmark& benchmark, const std::vector<Straggler>& ranks) {
  std::map<std::string, std::set<std::int64_t>> slow;
  std::map<std::string, std::size_t> all;
  for (const BenchmarkRank& rank : benchmark.ranks) ++all[rank.host];
  const auto host_of = [&](const Straggler& each) {
    return benchmark.ranks[static_cast<std::size_t>(each.rank)].host;
  };
  for (const Straggler& each : ranks) slow[host_of(each)].insert(each.rank);
  std::vector<Straggler> found;
  std::set<std::string> named;
  for (Straggler each : ranks) {
    const std::string host = host_of(each);
    if (all.size() > 1 && slow[host].size() == all[host]) {
      if (!named.insert(host).second) continue;
      each.kind = Straggler::Kind::host;
    }
    found.push_back(each);
  }
  return found;
}

std::vector<Straggler> slow_links(const Benchmark& benchmark, bool within_host,
                                  const std::set<std::int64_t>& known) {
  const std::map<std::int64_t, double> best = best_links(benchmark, within_host);
  const Compared ranks = compared(best);
  std::vector<Straggler> found;
  std::set<std::int64_t> slow = known;
  // Both ends of the only link are equal.
  if (best.size() > 2) {
    for (const auto& [rank, rate] : best) {
      if (known.contains(rank) || !ranks.is_slow(rate)) continue;
      slow.insert(rank);
      found.push_back({Straggler::Kind::rank, rank, std::nullopt, "link", rate, ranks.reference()});
    }
  }
  Compared links{slow_link};
  for (const LinkRate& link : benchmark.links) {
    if (is_within_host(benchmark, link) == within_host) links.best.push_back(best_of(link.gb_s));
  }
  for (const LinkRate& link : benchmark.links) {
    if (is_within_host(benchmark, link) != within_host || slow.contains(link.first) ||
        slow.contains(link.second))
      continue;
    const double rate = best_of(link.gb_s);
    if (links.best.size() > 2 && links.is_slow(rate))
      found.push_back(
          {Straggler::Kind::link, link.first, link.second, "link", rate, links.reference()});
  }
  return found;
}

}  // namespace

std::string_view name(Straggler::Kind kind) {
  switch (kind) {
    case Straggler::Kind::rank:
      return "rank";
    case Straggler::Kind::link:
      return "link";
    case Straggler::Kind::host:
      return "host";
  }
  return "";
}

std::vector<Straggler> stragglers_of(const Benchmark& benchmark) {
  std::vector<Straggler> found = slow_copies(benchmark);
  std::set<std::int64_t> slow;
  for (const Straggler& each : found) slow.insert(each.rank);
  for (const bool within_host : {true, false}) {
    for (const Straggler& each : slow_links(benchmark, within_host, slow)) found.push_back(each);
  }
  return by_host(benchmark, found);
}

void require_same_ranks(std::size_t ranks, const Benchmark& baseline) {
  if (ranks != baseline.ranks.size())
    throw Error(ErrorCode::bad_input,
                format("the baseline has {}, this benchmark {}",
                       counted(baseline.ranks.size(), "rank"), ranks),
                "make a baseline with the same number of cards");
}

std::vector<Shortfall> shortfalls_of(const Benchmark& benchmark, const Benchmark& baseline,
                                     double least_share) {
  require_same_ranks(benchmark.ranks.size(), baseline);
  std::vector<Shortfall> found;
  std::size_t common = 0;
  // What worked then and does not work now is no speed at all.
  for (const Measurement& before : baseline.measurements) {
    if (before.backend == benchmark.backend && benchmark.unsupported.contains(before.operation))
      found.push_back({before.backend, before.operation, before.bytes, 0, before.bus_gb_s});
  }
  for (const Measurement& now : benchmark.measurements) {
    const auto before = std::find_if(
        baseline.measurements.begin(), baseline.measurements.end(), [&](const Measurement& each) {
          return each.backend == now.backend && each.operation == now.operation &&
                 each.bytes == now.bytes;
        });
    if (before == baseline.measurements.end()) continue;
    ++common;
    if (now.bus_gb_s < before->bus_gb_s * least_share)
      found.push_back({now.backend, now.operation, now.bytes, now.bus_gb_s, before->bus_gb_s});
  }
  if (common == 0)
    throw Error(ErrorCode::bad_input, "the baseline measured none of the same operations and sizes",
                "make a baseline with the same options");
  return found;
}

Json to_json(const Straggler& straggler, const Benchmark& benchmark) {
  const auto& rank = benchmark.ranks.at(static_cast<std::size_t>(straggler.rank));
  return {{"kind", name(straggler.kind)},
          {"rank", straggler.kind == Straggler::Kind::host ? Json(nullptr) : Json(straggler.rank)},
          {"partner", straggler.partner ? Json(*straggler.partner) : Json(nullptr)},
          {"host", rank.host},
          {"local_rank", straggler.kind == Straggler::Kind::host ? Json(nullptr) : Json(rank.card)},
          {"what", straggler.what},
          {"gb_s", straggler.gb_s},
          {"median_gb_s", straggler.median_gb_s},
          {"ratio", straggler.median_gb_s > 0 ? straggler.gb_s / straggler.median_gb_s : 0}};
}

Json to_json(const Shortfall& shortfall) {
  return {
      {"backend", shortfall.backend},
      {"operation", shortfall.operation},
      {"bytes", shortfall.bytes},
      {"bus_gb_s", shortfall.bus_gb_s},
      {"baseline_gb_s", shortfall.baseline_gb_s},
      {"share", shortfall.baseline_gb_s > 0 ? shortfall.bus_gb_s / shortfall.baseline_gb_s : 0}};
}

}  // namespace topsctl
