// Telemetry of VCCL in each form that its versions write, and what is none.
#include "topsctl/engine/launch/flow_telemetry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

using testing::SizeIs;

const std::string columns =
    "Time,Group,FromRank,ToRank,DevIndex,Func,FuncTimes,SrcIP,DstIP,Bandwidth,SendWrCounter,"
    "RemainWrDataSize,Timestamp\n";
const std::string numbers = "64 bits data: status(63) | bandwidth(62 - 54) | timestamp(53 - 0) \n";
const std::string summaries = "Time,DevIndex,Func,MaxBandwidth,MeanBandwidth,Status\n";

std::string record(int bandwidth) {
  return concat("20261126031500,77,0,8,0,4,12,10.0.0.1,10.0.0.2,", bandwidth,
                ",3,4096,123456789\n");
}

std::string packed(std::uint64_t status, std::uint64_t bandwidth, std::uint64_t time) {
  return concat(status << 63U | bandwidth << 54U | time, "\n");
}

FlowValues values(const std::string& text) {
  FlowReader reader;
  reader.take(text);
  return reader.values();
}

TEST(FlowReaders, TakeColumns) {
  EXPECT_EQ(values(columns + record(390) + record(200) + record(310)),
            (FlowValues{3, 0, 0, 900, 200, 310}));
}

TEST(FlowReaders, TakeNumbers) {
  const FlowValues expected{3, 0, 1, 511 + 40 + 300, 40, 300};
  const std::string text =
      packed(0, 511, 0) + packed(1, 40, 5'000'000) + packed(0, 300, (std::uint64_t{1} << 54U) - 1);
  EXPECT_EQ(values(numbers + text), expected);
  EXPECT_EQ(values(text), expected) << "without the line that explains them";
}

TEST(FlowReaders, TakeSummaries) {
  EXPECT_EQ(values(summaries + "20261126031500,0,4,400,150,1\n"),
            (FlowValues{1, 0, 1, 150, 150, 150}));
}

TEST(FlowReaders, TakePieces) {
  const std::string text = columns + record(390) + record(200);
  FlowReader reader;
  for (const char c : text) reader.take(std::string(1, c));
  EXPECT_EQ(reader.values(), values(text));
  reader.take("20261126031500,77,0,8");
  EXPECT_EQ(reader.values(), values(text)) << "a line without its end";
}

TEST(FlowReaders, CountWhatIsNone) {
  EXPECT_EQ(values(columns + "1,2\n" + std::string(5000, 'x') + "\n" + record(390) + record(-3))
                .unreadable,
            3U);
  EXPECT_EQ(values(numbers + "99999999999999999999999\n-1\n0x10\n").unreadable, 3U);
  EXPECT_EQ(values("{}\n").count, 0U);
}

class FlowFiles : public testing::Test {
 protected:
  TemporaryFolder folder_;
  FlowTelemetry telemetry_{folder_.path()};
};

TEST_F(FlowFiles, AreSummedUpByPort) {
  folder_.write("gpu-1-mlx5_0-Port0-A.log", columns + record(390));
  folder_.write("gpu-1-mlx5_0-Port0-B.log", columns + record(100));
  folder_.write("n_2_mlx5_bond_0_Port1_A.log", numbers + packed(1, 40, 1));
  folder_.write("rank_0.json", "{}");
  std::filesystem::create_symlink("/etc/passwd", folder_ / "x-mlx5_0-Port0-A.log");
  const auto ports = telemetry_.look();
  ASSERT_THAT(ports, SizeIs(3));
  EXPECT_EQ(ports[0].host + " " + ports[0].nic + " " + ports[0].port, "gpu-1 mlx5_0 0");
  EXPECT_EQ(ports[0].values.count, 2U);
  EXPECT_EQ(ports[0].values.lowest, 100);
  EXPECT_EQ(ports[1].values.drops, 1U);
  EXPECT_EQ(ports[2].values.count, 0U) << "a link";
}

TEST_F(FlowFiles, AreReadOnAndAnew) {
  const auto file = folder_.write("n-mlx5_0-Port0-A.log", columns + record(390));
  EXPECT_EQ(telemetry_.look().front().values.count, 1U);
  folder_.write("n-mlx5_0-Port0-A.log", columns + record(390) + record(200));
  EXPECT_EQ(telemetry_.look().front().values.count, 2U);
  folder_.write("n-mlx5_0-Port0-A.log", columns + record(7));
  EXPECT_EQ(telemetry_.look().front().values, (FlowValues{1, 0, 0, 7, 7, 7}));
}

TEST_F(FlowFiles, AreInADirectory) {
  FlowTelemetry none(folder_ / "none");
  EXPECT_EQ(thrown_by([&] { none.look(); }).code(), ErrorCode::bad_input);
}

}  // namespace
}  // namespace topsctl
