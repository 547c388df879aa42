// What the benchmark's output says, which ranks and links it accuses, and the comparison with an
// earlier one.
#include "topsctl/engine/launch/benchmark.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/sample_host.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/launch/benchmark_note.hpp"

namespace topsctl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Equal ranks on `hosts` hosts, each with `each` of them; every pair has a link.
Benchmark equal_ranks(std::int64_t hosts, std::int64_t each) {
  Benchmark benchmark;
  benchmark.backend = "eccl";
  benchmark.device = "gcu";
  for (std::int64_t host = 0; host < hosts; ++host) {
    for (std::int64_t card = 0; card < each; ++card)
      benchmark.ranks.push_back({concat("h", host), card});
  }
  const std::int64_t all = hosts * each;
  for (std::int64_t rank = 0; rank < all; ++rank)
    benchmark.copies.push_back({"on_card", rank, {100, 103, 98}});
  for (std::int64_t first = 0; first < all; ++first) {
    for (std::int64_t second = first + 1; second < all; ++second) {
      const double rate = first / each == second / each ? 20 : 5;
      benchmark.links.push_back({first, second, {3, 3}, {rate, rate * 0.9}});
    }
  }
  return benchmark;
}

void slow_down(Benchmark& benchmark, std::int64_t rank, double factor, bool across_only = false) {
  for (LinkRate& link : benchmark.links) {
    if (link.first != rank && link.second != rank) continue;
    const auto& hosts = benchmark.ranks;
    const bool is_across = hosts[static_cast<std::size_t>(link.first)].host !=
                           hosts[static_cast<std::size_t>(link.second)].host;
    if (across_only && !is_across) continue;
    for (double& rate : link.gb_s) rate *= factor;
  }
}

std::vector<std::string> accused(const Benchmark& benchmark) {
  std::vector<std::string> names;
  for (const Straggler& each : stragglers_of(benchmark))
    names.push_back(concat(name(each.kind), " ", each.rank,
                           each.partner ? concat("-", *each.partner) : std::string(), " ",
                           each.what));
  return names;
}

TEST(Stragglers, AreNotAmongEquals) {
  for (const std::int64_t hosts : {1, 2, 3}) {
    for (const std::int64_t each : {1, 2, 4, 8})
      EXPECT_THAT(accused(equal_ranks(hosts, each)), IsEmpty());
  }
}

TEST(Stragglers, AreRanksThatCopySlowlyEachTime) {
  Benchmark benchmark = equal_ranks(1, 4);
  benchmark.copies[2].gb_s = {50, 55, 52};
  slow_down(benchmark, 2, 0.5);
  EXPECT_THAT(accused(benchmark), ElementsAre("rank 2 on_card"));
  benchmark.copies[2].gb_s[1] = 99;
  slow_down(benchmark, 2, 2);
  EXPECT_THAT(accused(benchmark), IsEmpty()) << "one good repetition acquits";
}

TEST(Stragglers, OfTwoRanksAreJudgedByTheirCopiesAlone) {
  Benchmark benchmark = equal_ranks(1, 2);
  slow_down(benchmark, 1, 0.01);
  EXPECT_THAT(accused(benchmark), IsEmpty()) << "a single link has no equal";
  benchmark.copies[0].gb_s = {10, 10, 10};
  EXPECT_THAT(accused(benchmark), ElementsAre("rank 0 on_card"));
}

TEST(Stragglers, AreRanksAllOfWhoseLinksAreSlow) {
  Benchmark benchmark = equal_ranks(1, 3);
  slow_down(benchmark, 1, 0.3);
  EXPECT_THAT(accused(benchmark), ElementsAre("rank 1 link"));
}

TEST(Stragglers, AreLinksBetweenFastRanks) {
  Benchmark benchmark = equal_ranks(1, 4);
  for (LinkRate& link : benchmark.links) {
    if (link.first == 1 && link.second == 3) link.gb_s = {2, 2};
  }
  EXPECT_THAT(accused(benchmark), ElementsAre("link 1-3 link"));
}

TEST(Stragglers, AreHostsAllOfWhoseRanksAreSlow) {
  Benchmark benchmark = equal_ranks(3, 2);
  for (const std::int64_t rank : {2, 3}) slow_down(benchmark, rank, 0.2, true);
  EXPECT_THAT(accused(benchmark), ElementsAre("host 2 link"));
}

TEST(Stragglers, OnSlowerLinksBetweenHostsAreComparedAmongThemselves) {
  Benchmark benchmark = equal_ranks(2, 4);
  for (LinkRate& link : benchmark.links) {
    if (link.first / 4 != link.second / 4) link.gb_s = {0.01, 0.01};
  }
  EXPECT_THAT(accused(benchmark), IsEmpty());
}

constexpr const char* output = R"(noise
TOPSCTL_BENCH {"kind":"group","backend":"gloo","device":"cpu","torch":"1.13","python":"3.11.2"}
TOPSCTL_BENCH {"kind":"rank","rank":0,"host":"a","local_rank":0}
0: TOPSCTL_BENCH {"kind":"rank","rank":1,"host":"a\u001b[31m","local_rank":1}
TOPSCTL_BENCH {"kind":"measurement","backend":"gloo","operation":"all_reduce","bytes":1024,"iterations":5,"time_us":10.5,"least_us":10,"most_us":11,"algorithm_gb_s":0.0975,"bus_gb_s":0.0975}
TOPSCTL_BENCH {"kind":"unsupported","operation":"reduce_scatter","reason":"no"}
TOPSCTL_BENCH {"kind":"copy","what":"memory","rank":1,"gb_s":[1.5]}
TOPSCTL_BENCH {"kind":"copy","what":"memory","rank":7,"gb_s":[1.5]}
TOPSCTL_BENCH {"kind":"link","ranks":[0,-1],"latency_us":[1],"gb_s":[1]}
TOPSCTL_BENCH {"kind":"measurement","backend":"gloo","operation":"all_reduce","bytes":1024,"iterations":5,"time_us":-1,"least_us":10,"most_us":11,"algorithm_gb_s":0.0975,"bus_gb_s":0.0975}
TOPSCTL_BENCH {"kind":"copy"
TOPSCTL_BENCH [1]
TOPSCTL_BENCH {"kind":"end"}
)";

TEST(OutputsOfTheBenchmark, AreReadAndWhatIsWrongInThemIsSkipped) {
  const Benchmark benchmark = benchmark_in(output);
  EXPECT_EQ(benchmark.backend, "gloo");
  ASSERT_EQ(benchmark.ranks.size(), 2U);
  EXPECT_EQ(benchmark.ranks[1].host.find('\x1b'), std::string::npos);
  ASSERT_EQ(benchmark.measurements.size(), 1U);
  EXPECT_EQ(benchmark.measurements[0].time_us, 10.5);
  EXPECT_EQ(benchmark.unsupported.at("reduce_scatter"), "no");
  EXPECT_EQ(benchmark.copies.size(), 1U) << "of a rank that the group has";
  EXPECT_THAT(benchmark.links, IsEmpty());
  EXPECT_TRUE(benchmark.is_complete);
  EXPECT_FALSE(benchmark_in("TOPSCTL_BENCH {\"kind\":\"group\"}\n").is_complete);
  EXPECT_FALSE(benchmark_in("TOPSCTL_BENCH {\"kind\":\"end\"}\n").is_complete) << "of no ranks";
  EXPECT_FALSE(benchmark_in("TOPSCTL_BENCH {\"kind\":\"rank\",\"host\":\"a\",\"local_rank\":0}\n"
                            "TOPSCTL_BENCH {\"kind\":\"end\"}\n")
                   .is_complete)
      << "of no measurements";
  std::string many;
  for (int i = 0; i < 60'000; ++i)
    many += "TOPSCTL_BENCH {\"kind\":\"rank\",\"host\":\"h\",\"local_rank\":0}\n";
  EXPECT_LE(benchmark_in(many).ranks.size(), 512U);
}

std::string report_of(const Benchmark& benchmark) {
  return to_text(to_json(benchmark));
}

TEST(Baselines, AreReportsAndAreComparedByOperationAndSize) {
  const Benchmark before = benchmark_in_report(report_of(benchmark_in(output)), "'old.json'");
  Benchmark now = before;
  EXPECT_THAT(shortfalls_of(now, before, 0.9), IsEmpty());
  now.measurements[0].bus_gb_s *= 0.8;
  ASSERT_EQ(shortfalls_of(now, before, 0.9).size(), 1U);
  EXPECT_THAT(shortfalls_of(now, before, 0.7), IsEmpty());
  Benchmark lost = before;
  lost.unsupported["all_reduce"] = "broken";
  EXPECT_FALSE(shortfalls_of(lost, before, 0.9).empty()) << "it worked then";
  now.measurements[0].bytes = 2048;
  EXPECT_THROW(shortfalls_of(now, before, 0.9), Error) << "nothing in common is no success";
  now.ranks.pop_back();
  EXPECT_THROW(shortfalls_of(now, before, 0.9), Error);
}

TEST(Baselines, OfAnotherFormAreRefused) {
  for (const std::string text : {"", "{}", "[]", "{\"backend\": null}", "{\"backend\": \"a\"}"})
    EXPECT_THROW(benchmark_in_report(text, "'old.json'"), Error) << text;
}

// The largest measurement of the first operation, of the backend itself.
TEST(BenchmarkNote, IsReadAsItWasWritten) {
  SampleHost sample;
  EXPECT_FALSE(last_benchmark(sample.host));
  Benchmark benchmark = equal_ranks(1, 2);
  benchmark.measurements = {{"eccl", "all_reduce", 65536, 9, 1, 1, 1, 0.5, 0.5},
                            {"eccl", "all_reduce", 1048576, 9, 1, 1, 1, 2, 2},
                            {"gloo", "all_reduce", 4194304, 9, 1, 1, 1, 8, 8},
                            {"eccl", "broadcast", 4194304, 9, 1, 1, 1, 9, 9}};
  const auto note = note_of(benchmark, 1, "2026-11-30T18:00:00Z");
  write_note(sample.host, note);
  const auto read = last_benchmark(sample.host);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(read), to_json(std::optional(note)));
  EXPECT_EQ(read->bytes, 1048576U);
  EXPECT_EQ(read->ranks, 2);
}

TEST(BenchmarkNote, OfAnotherFormIsNone) {
  SampleHost sample;
  const std::string sound =
      R"({"measured_at": "x", "backend": "b", "device": "d", "ranks": 2, "operation": "o", )"
      R"("bytes": 1, "bus_gb_s": 1.5, "stragglers": 0})";
  ASSERT_TRUE(benchmark_note_in(Json::parse(sound)));
  const auto with = [&](const std::string& from, const std::string& to) {
    return std::string(sound).replace(sound.find(from), from.size(), to);
  };
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("{}"), with(" 2,", " \"2\","),
        with(" 2,", " -5,"), with(" 2,", " 4.5,"), with(" 2,", " 1e308,"),
        with(" 2,", " 18446744073709551615,"), with(" 2,", " true,"), with(": 0}", ": 0.5}"),
        with("\"bytes\": 1,", "\"bytes\": 1.5,"), with("1.5", "1e308"), with("1.5", "-1"),
        with("s\": 1,", "s\": -1,"), with("\"o\"", concat('"', std::string(65, 'o'), '"'))}) {
    sample.folder.write(concat(sample.host.state, "/benchmark.json").substr(1), text);
    EXPECT_FALSE(last_benchmark(sample.host)) << text;
  }
}

}  // namespace
}  // namespace topsctl
