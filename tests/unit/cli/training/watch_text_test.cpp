// The picture of cards and ranks, and how it fits a terminal.
#include "cli/training/watch_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

CardWatch eight_cards() {
  CardWatch watch;
  watch.is_known = true;
  watch.busy = 8;
  for (std::int64_t card = 0; card < 8; ++card) {
    WatchedCard& each = watch.cards.emplace_back();
    each.reading.index = card;
    each.reading.model = "T20";
    each.reading.state = "Active";
    each.reading.temperature_c = 41;
    each.reading.power_w = 118.0;
    each.reading.power_cap_w = 300.0;
    each.reading.memory_total_bytes = std::int64_t{32} << 30U;
    each.reading.utilization_percent = 85.0;
    each.rank = static_cast<int>(card);
    each.pid = 4000 + card;
    WatchedRank& rank = watch.ranks.emplace_back();
    rank.rank = static_cast<int>(card);
    rank.pid = 4000 + card;
    rank.state = "R";
    rank.cards = {card};
    rank.iteration = "2, 50/100";
    rank.iterations_per_second = 12.34;
    rank.last_line = std::string(60, 'x') + "\xe5\x8d\xa1" + std::string(60, 'y');
  }
  return watch;
}

std::vector<std::string> picture(std::size_t columns, std::size_t rows) {
  return split(watch_picture(eight_cards(), {}, "heading", columns, rows, Style{false}), '\n');
}

TEST(WatchPictures, FitTheTerminal) {
  for (const auto& [columns, rows] : {std::pair(80, 24), std::pair(200, 50), std::pair(20, 5)}) {
    const std::vector<std::string> lines =
        picture(static_cast<std::size_t>(columns), static_cast<std::size_t>(rows));
    EXPECT_LE(lines.size(), static_cast<std::size_t>(rows));
    for (const std::string& line : lines) {
      EXPECT_LE(display_width(line), static_cast<std::size_t>(columns));
      EXPECT_TRUE(is_utf8(line));
    }
    EXPECT_EQ(lines.front(), "heading");
    EXPECT_THAT(lines.back(), StartsWith("state: 8 of 8 card"));
  }
  EXPECT_THAT(picture(200, 50), SizeIs(21));
  EXPECT_THAT(picture(10, 1), SizeIs(2)) << "heading and state";
}

TEST(WatchPictures, NameTheBusiestInterfaces) {
  CardWatch watch = eight_cards();
  EXPECT_THAT(watch_text(watch, {}, Style{false}), Not(HasSubstr("network:")));
  watch.network = {{"eth0", false, 2048.0, 10.0}, {"eth1", false, std::nullopt, 5.0},
                   {"mlx5_0:1", true, 1e9, 3e9},  {"mlx5_1:1", true, 2e9, 0.0},
                   {"mlx5_2:1", true, 1e6, 1e6},  {"mlx5_3:1", true, 0.0, 0.0}};
  EXPECT_THAT(watch_text(watch, {}, Style{false}),
              HasSubstr("network: mlx5_0:1 953.7 MiB/s received, 2.8 GiB/s sent; "
                        "mlx5_1:1 1.9 GiB/s received, 0 B/s sent; mlx5_2:1 "
                        "976.6 KiB/s received, 976.6 KiB/s sent; "
                        "eth0 2.0 KiB/s received, 10 B/s sent; 1 more (--json)\n"));
}

TEST(WatchPictures, ShowRanksWithTheirPace) {
  const std::string text = watch_text(eight_cards(), {}, Style{false});
  EXPECT_THAT(text, HasSubstr("2, 50/100"));
  EXPECT_THAT(text, HasSubstr("12.3"));
}

TEST(WatchPictures, ShowTheHostTheTrainingAndTheAdvice) {
  CardWatch watch = eight_cards();
  watch.host.cpu_percent = 20;
  watch.throughput = throughput_of(2.5, 512);
  watch.advice = {"raise it"};
  watch.benchmark = BenchmarkNote{"2026-11-30T18:00:00Z",   "eccl", "gcu", 8, "all_reduce",
                                  std::uint64_t{64} << 20U, 11.25,  1};
  const std::string text = watch_text(watch, {}, Style{false});
  EXPECT_THAT(text, HasSubstr("host: processors 20 %, "));
  EXPECT_THAT(text, HasSubstr("training: 2.5 it/s, 1280.0 samples/s, global batch 512\n"));
  EXPECT_THAT(text, HasSubstr("benchmark: all_reduce, 64.0 MiB: 11.3 GB/s, eccl on 8 ranks, "));
  EXPECT_THAT(text, HasSubstr(", 1 straggler\n"));
  EXPECT_THAT(text, HasSubstr("advice: raise it\n"));
}

}  // namespace
}  // namespace topsctl
