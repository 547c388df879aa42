// efsmi's output in each layout that is known, and what is none.
#include "topsctl/host/facts/efsmi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/source_tree.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {
namespace {

constexpr std::int64_t gib = 1LL << 30U;
constexpr std::int64_t mib = 1LL << 20U;

CardReading only_card(std::string_view text) {
  const CardToolReading reading = parse_efsmi(text);
  EXPECT_EQ(reading.cards.size(), 1U) << text;
  EXPECT_EQ(reading.failure, "");
  return reading.cards.empty() ? CardReading{} : reading.cards.front();
}

// As public logs have it; see tests/data/efsmi.
std::string sample(const std::string& name) {
  return read_text(source_tree() / "tests/data/efsmi" / (name + ".txt"));
}

TEST(Efsmi, IsReadAsOnT20) {
  const CardToolReading reading = parse_efsmi(sample("t20-1.20.0"));
  ASSERT_EQ(reading.cards.size(), 2U);
  EXPECT_EQ(reading.cards[0], (CardReading{0, "T20", "00:3d:0.0", "W28001210504", 30, 48.0,
                                           32 * gib, 0.0, std::nullopt, 300.0, "Sleep"}));
  EXPECT_EQ(reading.cards[1].index, 1);
  EXPECT_EQ(reading.tool_version, "1.20.0");
  EXPECT_EQ(reading.driver_version, "2.4.20230829");
}

TEST(Efsmi, IsReadAsOnS60) {
  EXPECT_EQ(only_card(sample("s60-1.2.0.301")),
            (CardReading{0, "S60", "00:01:00.0", "A073640510015", 39, 105.0, 49120 * mib, 0.0,
                         std::nullopt, 300.0, "Sleep"}));
}

TEST(Efsmi, IsReadWhereATemperatureIsMissing) {
  EXPECT_EQ(only_card(sample("s60-1.4.0.505")),
            (CardReading{0, "S60", "00:3d:00.0", "A073640510016", std::nullopt, std::nullopt,
                         49120 * mib, 0.0, std::nullopt, std::nullopt, "Sleep"}));
}

TEST(Efsmi, IsReadWithTheSignOfDegrees) {
  const CardReading card = only_card(sample("s60-1.4.0.3"));
  EXPECT_EQ(card.temperature_c, 71);
  EXPECT_EQ(card.power_w, 118.0);
  EXPECT_EQ(card.power_cap_w, 300.0);
  EXPECT_EQ(card.utilization_percent, 85.0);
}

TEST(Efsmi, HasNoNumbersThatAreNone) {
  const CardReading card = only_card(
      "| 3  S60  | 33.6.5 | 00:3d:00.0  Enable |\n"
      "| nanC   Sleep  infW / 300W | infMiB Disable | nan%   C807B40520388 |\n");
  EXPECT_EQ(card, (CardReading{3, "S60", "00:3d:00.0", "C807B40520388", std::nullopt, std::nullopt,
                               std::nullopt, std::nullopt, std::nullopt, 300.0, "Sleep"}));
}

TEST(Efsmi, IsReadAsOnL300) {
  const CardToolReading reading = parse_efsmi(sample("l300-1.7.2.14"));
  EXPECT_EQ(reading.tool_version, "1.7.2.14");
  ASSERT_EQ(reading.cards.size(), 2U);
  EXPECT_EQ(reading.cards[0].power_w, 68.0);
  EXPECT_EQ(reading.cards[1].power_w, std::nullopt);
  EXPECT_EQ(reading.cards[1].memory_total_bytes, 23552 * mib);
}

TEST(Efsmi, IsReadInBlocks) {
  const CardToolReading reading = parse_efsmi(sample("blocks-1.4.3.4"));
  EXPECT_EQ(reading.driver_version, "1.4.3.4");
  ASSERT_EQ(reading.cards.size(), 2U);
  EXPECT_EQ(reading.cards[0], (CardReading{0, "S60", "", "GCU-A1", 35, 105.0, 49120 * mib, 0.0,
                                           1024 * mib, 300.0, "Sleep"}));
  EXPECT_EQ(reading.cards[1].memory_total_bytes, 32 * gib);
}

TEST(Efsmi, IsReadAsJson) {
  const CardToolReading reading = parse_efsmi(sample("json"));
  ASSERT_EQ(reading.cards.size(), 2U);
  EXPECT_EQ(reading.cards[0].memory_total_bytes, 49120 * mib);
  EXPECT_EQ(reading.cards[0].serial, "A1");
  EXPECT_EQ(reading.cards[1].index, 1);
}

// Of a value that is absent, or whatever the other says.
template <class Value>
bool is_absent_or(const Value& cut, const Value& whole) {
  return cut == Value{} || cut == whole;
}

TEST(Efsmi, SaysNothingFalseWhereItIsCut) {
  for (const char* name : {"t20-1.20.0", "s60-1.2.0.301", "s60-1.4.0.505", "s60-1.4.0.3",
                           "l300-1.7.2.14", "blocks-1.4.3.4", "json"}) {
    const std::string text = sample(name);
    const CardToolReading whole = parse_efsmi(text);
    for (std::size_t end = 0; end < text.size(); ++end) {
      const CardToolReading cut = parse_efsmi(text.substr(0, end));
      ASSERT_LE(cut.cards.size(), whole.cards.size());
      for (std::size_t i = 0; i < cut.cards.size(); ++i) {
        const CardReading& card = cut.cards[i];
        const CardReading& other = whole.cards[i];
        EXPECT_TRUE(card.index == other.index && is_absent_or(card.model, other.model) &&
                    is_absent_or(card.serial, other.serial) &&
                    is_absent_or(card.temperature_c, other.temperature_c) &&
                    is_absent_or(card.power_w, other.power_w) &&
                    is_absent_or(card.power_cap_w, other.power_cap_w) &&
                    is_absent_or(card.memory_total_bytes, other.memory_total_bytes) &&
                    is_absent_or(card.memory_used_bytes, other.memory_used_bytes) &&
                    is_absent_or(card.utilization_percent, other.utilization_percent) &&
                    is_absent_or(card.state, other.state))
            << name << ' ' << end;
      }
    }
  }
}

TEST(EfsmiMonitor, TellsTheMemoryInUse) {
  for (const char* name : {"monitor-t20", "monitor-s60", "monitor-newer"}) {
    CardToolReading reading = parse_efsmi(sample("t20-1.20.0"));
    reading.cards[1].temperature_c.reset();
    const CardReading before = reading.cards[0];
    take_monitor_lines(sample(name), reading);
    EXPECT_EQ(reading.cards[0].memory_used_bytes, 0) << name;
    EXPECT_EQ(reading.cards[1].memory_used_bytes, 8 * gib) << name;
    EXPECT_EQ(reading.cards[1].temperature_c, 52) << name;
    reading.cards[0].memory_used_bytes.reset();
    EXPECT_EQ(reading.cards[0], before) << name;
  }
}

TEST(EfsmiMonitor, AddsNothingOfWhatIsNone) {
  for (const std::string& text :
       {std::string(), sample("t20-1.20.0"), std::string("GCU MUsed\n1 nan\n1 101\n1 -1\n1\n7 5\n"),
        std::string("MUsed\n1\n"), std::string("GCU MUsed\n1 2"), std::string(200, '*')}) {
    CardToolReading reading = parse_efsmi(sample("t20-1.20.0"));
    const CardToolReading before = reading;
    take_monitor_lines(text, reading);
    EXPECT_EQ(reading, before) << printable(text);
  }
}

TEST(Efsmi, TellsThatItFails) {
  for (const char* text : {"HAL initialization failed\n", "Failed to initialize efml lib\n",
                           "Initialize failed...\n"}) {
    const CardToolReading reading = parse_efsmi(text);
    EXPECT_FALSE(reading.failure.empty()) << text;
    EXPECT_TRUE(reading.cards.empty());
  }
}

TEST(Efsmi, HasNoCardsInWhatIsNone) {
  for (const std::string& text :
       {std::string(), std::string("bash: efsmi: command not found"), std::string("{"),
        std::string(2000, '['), std::string("{\"devices\": ") + std::string(100'000, '['),
        std::string("*|*|*\n"), std::string("* 99999999999999999999 T20 | a | b:c\n"),
        std::string("* 0 T20 | a | b:c"), std::string("DEV ID x\n"), std::string(100, '\0'),
        std::string("|||||\n|||||\n")}) {
    const CardToolReading reading = parse_efsmi(text);
    EXPECT_LE(reading.cards.size(), 1U) << printable(text);
  }
}

}  // namespace
}  // namespace topsctl
