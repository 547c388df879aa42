// Tables of tools that print comma-separated values.
#include "topsctl/host/facts/card_tool.hpp"

#include <gtest/gtest.h>

#include "support/sample_stack.hpp"

namespace topsctl {
namespace {

const char* const line =
    "0, NVIDIA H800, 00000000:18:00.0, GPU-5d0c1e7a, 35, 70.12, 700.00, 81559, 1024, 98, P0, "
    "535.161.08\n";

CardToolReading reading(const std::string& text) {
  return card_table_in(text, vccl_stack().accelerator.tool.columns);
}

TEST(CardTables, AreReadByTheirColumns) {
  const CardToolReading read = reading(line);
  ASSERT_EQ(read.cards.size(), 1U);
  const CardReading& card = read.cards.front();
  EXPECT_EQ(read.driver_version, "535.161.08");
  EXPECT_EQ(card.model, "NVIDIA H800");
  EXPECT_EQ(card.bus_id, "00000000:18:00.0");
  EXPECT_EQ(card.serial, "GPU-5d0c1e7a");
  EXPECT_EQ(card.temperature_c, 35);
  EXPECT_EQ(card.power_w, 70.12);
  EXPECT_EQ(card.memory_total_bytes, std::int64_t{81559} << 20);
  EXPECT_EQ(card.memory_used_bytes, std::int64_t{1024} << 20);
  EXPECT_EQ(card.utilization_percent, 98);
  EXPECT_EQ(card.state, "P0");
}

TEST(CardTables, LeaveOutWhatIsNotTold) {
  const CardToolReading read = reading(
      "7, NVIDIA L40, 0:1, GPU-1, N/A, [Not Supported], [N/A], x, -5, 1e400, [Unknown Error], 1\n");
  ASSERT_EQ(read.cards.size(), 1U);
  CardReading expected;
  expected.index = 7;
  expected.model = "NVIDIA L40";
  expected.bus_id = "0:1";
  expected.serial = "GPU-1";
  EXPECT_EQ(read.cards.front(), expected);
}

TEST(CardTables, HaveNoCardsInOtherText) {
  for (const char* text : {"", "NVIDIA-SMI has failed because it couldn't communicate\n",
                           ",,,,,,,,,,,\n", "x, H800, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n", "0, H800\n"})
    EXPECT_TRUE(reading(text).cards.empty()) << text;
}

}  // namespace
}  // namespace topsctl
