// What interfaces and ports received and sent between two looks.
#include "topsctl/host/facts/network_load.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/moved_clock.hpp"
#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

class MeasuringTheNetwork : public testing::Test {
 protected:
  void write(const std::string& interface, const std::string& received, const std::string& sent) {
    folder_.write("sys/class/net/" + interface + "/statistics/rx_bytes", received + "\n");
    folder_.write("sys/class/net/" + interface + "/statistics/tx_bytes", sent + "\n");
  }

  const TemporaryFolder folder_;
  MovedClock clock_;
  const Host host_{folder_.path(), nullptr, &clock_, {}};
};

TEST_F(MeasuringTheNetwork, CountsBytesPerSecondBetweenLooks) {
  write("eth0", "1000", "500");
  folder_.write("sys/class/net/eth0/operstate", "up\n");
  folder_.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "100\n");
  folder_.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "0\n");
  NetworkMeter meter(host_);
  clock_.passed += std::chrono::seconds(2);
  write("eth0", "5000", "600");
  folder_.write("sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "1100\n");
  EXPECT_EQ(meter.look(), (std::vector<NetworkRate>{{"eth0", false, 2000.0, 50.0},
                                                    {"mlx5_0:1", true, 2000.0, 0.0}}));
  write("eth1", "7", "7");
  write("eth0", "5000", "0");
  clock_.passed += std::chrono::seconds(1);
  EXPECT_EQ(meter.look(), (std::vector<NetworkRate>{{"eth0", false, 0.0, std::nullopt},
                                                    {"eth1", false, std::nullopt, std::nullopt},
                                                    {"mlx5_0:1", true, 0.0, 0.0}}))
      << "a new interface, and a counter that was reset";
  EXPECT_EQ(meter.look().front().received_bytes_per_second, std::nullopt) << "no time has passed";
}

TEST_F(MeasuringTheNetwork, LeavesOutWhatCarriesNoTrafficOfItsOwn) {
  for (const char* interface : {"lo", "eth0", "eth1", "bond0"}) write(interface, "1", "1");
  folder_.write("sys/class/net/eth0/operstate", "down\n");
  std::filesystem::create_symlink("../bond0", folder_.path() / "sys/class/net/eth1/master");
  folder_.write("sys/class/net/bonding_masters", "bond0\n");
  write("odd", "many", "");
  const std::vector<NetworkRate> rates = NetworkMeter(host_).look();
  ASSERT_EQ(rates.size(), 1U);
  EXPECT_EQ(rates[0].name, "bond0");
}

TEST_F(MeasuringTheNetwork, FindsNothingWithoutSysfs) {
  EXPECT_TRUE(NetworkMeter(host_).look().empty());
}

}  // namespace
}  // namespace topsctl
