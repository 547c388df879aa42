// efsmi's output in each layout that is known, and what is none.
#include "topsctl/host/facts/efsmi.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

constexpr std::int64_t gib = 1LL << 30U;
constexpr std::int64_t mib = 1LL << 20U;

CardReading only_card(std::string_view text) {
  const EfsmiReading reading = parse_efsmi(text);
  EXPECT_EQ(reading.cards.size(), 1U) << text;
  EXPECT_EQ(reading.failure, "");
  return reading.cards.empty() ? CardReading{} : reading.cards.front();
}

// EFSMI V1.20.0 on a T20, as public logs have it.
constexpr const char* t20 =
    "-----------------------------------------------------------------------\n"
    "----------------- Enflame System Management Interface -----------------\n"
    "-------- Enflame Tech, All Rights Reserved. 2023 Copyright (C) --------\n"
    "-----------------------------------------------------------------------\n\n"
    "*Sat Oct  7 15:54:28 2023-------------------------------------------------*\n"
    "*EFSMI    V1.20.0          Driver Ver: 2.4.20230829                       *\n"
    "*-------------------------------------------------------------------------*\n"
    "*-------------------------------------------------------------------------*\n"
    "* DEV    NAME                | FW VER          | BUS-ID     ECC           *\n"
    "* TEMP   DPM   Pwr(Usage/Cap)| Mem         vGCU| DEV-Util   UUID          *\n"
    "*-------------------------------------------------------------------------*\n"
    "* 0      T20                 | 10.19.3         | 00:3d:0.0  Enable        *\n"
    "* 30C    Sleep   48.0W  300W | 32G      Disable|   0.0%     W28001210504  *\n"
    "*-------------------------------------------------------------------------*\n";

TEST(Efsmi, IsReadAsOnT20) {
  EXPECT_EQ(only_card(t20), (CardReading{0, "T20", "00:3d:0.0", "W28001210504", 30, 48.0, 32 * gib,
                                         0.0, std::nullopt, 300.0, "Sleep"}));
  EXPECT_EQ(parse_efsmi(t20).tool_version, "1.20.0");
  EXPECT_EQ(parse_efsmi(t20).driver_version, "2.4.20230829");
}

TEST(Efsmi, ListsEveryCard) {
  std::string text = t20;
  const std::string card = text.substr(text.find("* 0 "));
  for (int i = 1; i < 8; ++i) {
    std::string next = card;
    next[2] = static_cast<char>('0' + i);
    text += next;
  }
  const EfsmiReading reading = parse_efsmi(text);
  ASSERT_EQ(reading.cards.size(), 8U);
  EXPECT_EQ(reading.cards[7].index, 7);
}

TEST(Efsmi, IsReadAsOnS60) {
  EXPECT_EQ(
      only_card("+2024-12-06, 11:33:56 CST------------------------+\n"
                "|EFSMI    V1.2.0.301       Driver Ver: 1.2.0.301   |\n"
                "| DEV    NAME                | FW VER          | BUS-ID      ECC           |\n"
                "| TEMP   Dpm   Pwr(Usage/Cap)| Mem      GCU Virt| DUsed       SN           |\n"
                "| 0      S60                 | 33.6.2          | 00:01:00.0  Disable       |\n"
                "| 39 C   Sleep    105W  300W | 49120MiB Disable|   0.0%      A073640510015 |\n"),
      (CardReading{0, "S60", "00:01:00.0", "A073640510015", 39, 105.0, 49120 * mib, 0.0,
                   std::nullopt, 300.0, "Sleep"}));
}

TEST(Efsmi, IsReadWhereATemperatureIsMissing) {
  EXPECT_EQ(
      only_card("| EFSMI    1.4.0.505       Driver Ver: 1.4.4.501 |\n"
                "| 0      Enflame S60          | 33.6.5           | 00:3d:00.0  Enable        |\n"
                "| -      Sleep    -           | 49120MiB Disable | 0%          xxx |\n"),
      (CardReading{0, "S60", "00:3d:00.0", "xxx", std::nullopt, std::nullopt, 49120 * mib, 0.0,
                   std::nullopt, std::nullopt, "Sleep"}));
}

TEST(Efsmi, IsReadWithTheSignOfDegrees) {
  const CardReading card = only_card(
      "| 3      Enflame S60          | 33.6.5           | 00:3d:00.0  Enable        |\n"
      "| 71℃    Sleep    118W / 300W | 42976MiB Disable | 85%         C807B40520388 |\n");
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
  const char* text =
      "| EFSMI: 1.7.2.14          Driver Ver: 1.7.2.14 |\n"
      "| 0      Enflame L300         | 40.2.8.3 | 00:2d:00.0  Enable |\n"
      "| 35     LP1      68W / 300W  | 147456MiB Disable | 0%          A098Q50610048 |\n"
      "| 1      Enflame S60G         | 40.2.8.3 | 00:2e:00.0  Enable |\n"
      "| 35     LP0      N/A         | 23552MiB  SRIOV | 0%          A098Q50610049 |\n";
  const EfsmiReading reading = parse_efsmi(text);
  EXPECT_EQ(reading.tool_version, "1.7.2.14");
  ASSERT_EQ(reading.cards.size(), 2U);
  EXPECT_EQ(reading.cards[0].power_w, 68.0);
  EXPECT_EQ(reading.cards[1].power_w, std::nullopt);
  EXPECT_EQ(reading.cards[1].memory_total_bytes, 23552 * mib);
}

TEST(Efsmi, IsReadInBlocks) {
  const EfsmiReading reading = parse_efsmi(
      "Driver Info\n    Ver                  : 1.4.3.4\n\nDEV ID 0\n    Device Info\n"
      "        Dev Name         : S60\n        Dev UUID         : GCU-A1\n        Dev SN           "
      ": A1\n"
      "    Power Info\n        Cur Power        : 105 W\n    Device Mem Info\n"
      "        Total Size       : 49120 MiB\n    GCU Temp             : 35 ℃\n"
      "    GCU Usage            : 0.0 %\nDEV ID 1\n    Mem Size             : 32768 MiB\n");
  EXPECT_EQ(reading.driver_version, "1.4.3.4");
  ASSERT_EQ(reading.cards.size(), 2U);
  EXPECT_EQ(reading.cards[0], (CardReading{0, "S60", "", "GCU-A1", 35, 105.0, 49120 * mib, 0.0,
                                           std::nullopt, std::nullopt, ""}));
  EXPECT_EQ(reading.cards[1].memory_total_bytes, 32 * gib);
}

TEST(Efsmi, IsReadAsJson) {
  const EfsmiReading reading = parse_efsmi(
      R"({"devices": [{"id": 0, "Device Info": {"Dev Name": "S60", "Dev SN": "A1"},
          "Device Mem Info": {"Total Size": "49120 MiB"}}, {"id": 1}, 7]})");
  ASSERT_EQ(reading.cards.size(), 2U);
  EXPECT_EQ(reading.cards[0].memory_total_bytes, 49120 * mib);
  EXPECT_EQ(reading.cards[0].serial, "A1");
  EXPECT_EQ(reading.cards[1].index, 1);
}

TEST(Efsmi, TellsThatItFails) {
  for (const char* text : {"HAL initialization failed\n", "Failed to initialize efml lib\n",
                           "Initialize failed...\n"}) {
    const EfsmiReading reading = parse_efsmi(text);
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
    const EfsmiReading reading = parse_efsmi(text);
    EXPECT_LE(reading.cards.size(), 1U) << printable(text);
  }
}

}  // namespace
}  // namespace topsctl
