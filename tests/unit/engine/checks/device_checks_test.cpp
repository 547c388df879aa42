// Checks of the cards on machines made of files: what is there, what is missing, what only looks
// so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "engine/checks/device_checks.hpp"
#include "support/sample_host.hpp"
#include "support/sample_stack.hpp"
#include "topsctl/base/error.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/facts/infiniband.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

class Cards : public testing::Test {
 protected:
  void make_node(int card) {
    const auto path = sample_.folder / concat("dev/gcu", card);
    sample_.folder.make_folder("dev");
    if (::mknod(path.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0)
      GTEST_SKIP() << "needs root: mknod";
  }
  CheckResult judged(void (*judge)(const CheckedMachine&, CheckResult&)) {
    CheckResult result;
    judge(machine_, result);
    return result;
  }
  CheckResult judged_tool() {
    CheckResult result;
    CheckRule rule;
    rule.file = "efsmi";
    judge_tool(machine_, rule, result);
    return result;
  }
  void tool_says(const std::string& text, int status = 0) {
    sample_.runner.on_run = [=](const Command&) {
      RunResult result;
      result.status = status;
      result.output = text;
      return result;
    };
  }

  SampleHost sample_;
  Stack stack_ = sample_stack();
  CheckedMachine machine_{sample_.host, stack_, {CheckLevel::ranks, 2, 0, 1000, nullptr}, {}};
};

TEST_F(Cards, HaveADriver) {
  EXPECT_EQ(judged(judge_driver).status, CheckStatus::unknown);
  sample_.folder.make_folder("sys/module");
  EXPECT_EQ(judged(judge_driver).status, CheckStatus::fail);
  EXPECT_THAT(judged(judge_driver).hint, HasSubstr("--privileged"));
  sample_.folder.write("sys/module/enflame/version", "1.0.20230110\n");
  EXPECT_EQ(judged(judge_driver).observed, "enflame 1.0.20230110");
  EXPECT_EQ(judged(judge_driver).status, CheckStatus::pass);
}

TEST_F(Cards, HaveANodeEach) {
  EXPECT_THAT(judged(judge_nodes).observed, HasSubstr("GCU count:0"));
  make_node(1);
  EXPECT_EQ(judged(judge_nodes).observed, "1 of 2: /dev/gcu0 is missing");
  EXPECT_THAT(judged(judge_nodes).hint, HasSubstr("--cards 1"));
  EXPECT_FALSE(has_every_node(machine_));
  make_node(0);
  EXPECT_EQ(judged(judge_nodes).status, CheckStatus::pass);
  EXPECT_TRUE(has_every_node(machine_));
}

TEST_F(Cards, AreNoFiles) {
  make_node(0);
  sample_.folder.write("dev/gcu1", "");
  EXPECT_EQ(judged(judge_nodes).observed, "/dev/gcu1 is not a character device");
  EXPECT_FALSE(has_every_node(machine_));
}

TEST_F(Cards, AreOnTheBus) {
  EXPECT_EQ(judged(judge_pci).status, CheckStatus::unknown);
  sample_.folder.write("sys/bus/pci/devices/0000:31:00.0/vendor", "0x1e36\n");
  sample_.folder.write("sys/bus/pci/devices/0000:32:00.0/vendor", "0x10de\n");
  EXPECT_EQ(judged(judge_pci).observed, "1 device of vendor 0x1e36");
  EXPECT_EQ(judged(judge_pci).status, CheckStatus::fail);
  sample_.folder.write("sys/bus/pci/devices/0000:33:00.0/vendor", "0x1e36\n");
  EXPECT_EQ(judged(judge_pci).status, CheckStatus::pass);
}

TEST_F(Cards, AreListedByTheTool) {
  const std::string card =
      "* 0      T20                 | 10.19.3         | 00:3d:0.0  Enable        *\n";
  tool_says(card);
  EXPECT_EQ(judged_tool().status, CheckStatus::fail);
  EXPECT_EQ(judged_tool().observed, "1 card of model T20, driver unknown");
  tool_says(card + card);
  EXPECT_EQ(judged_tool().status, CheckStatus::pass);
  tool_says("something new");
  EXPECT_EQ(judged_tool().status, CheckStatus::unknown);
  tool_says("HAL initialization failed\n", 1);
  EXPECT_EQ(judged_tool().observed, "efsmi: HAL initialization failed");
  tool_says(card + card, 3);
  EXPECT_EQ(judged_tool().observed, "efsmi: exit status 3");
  sample_.runner.on_run = [](const Command&) -> RunResult {
    throw Error(ErrorCode::host_unfit, "no efsmi");
  };
  EXPECT_EQ(judged_tool().status, CheckStatus::unknown);
  EXPECT_THAT(judged_tool().hint, HasSubstr("containers"));
}

class Ports : public Cards {
 protected:
  Ports() {
    stack_ = vccl_stack();
    rule_.variable = "NCCL_IB_HCA";
  }
  void make_port(const std::string& device, const std::string& state, const std::string& rate) {
    const std::string folder = concat("sys/class/infiniband/", device, "/ports/1/");
    sample_.folder.write(folder + "state", state + "\n");
    sample_.folder.write(folder + "rate", rate + "\n");
  }
  CheckResult judged_ports() {
    CheckResult result;
    judge_infiniband(machine_, rule_, result);
    return result;
  }
  CheckRule rule_;
};

TEST_F(Ports, AreActiveAtOneRate) {
  EXPECT_EQ(judged_ports().status, CheckStatus::unknown);
  make_port("mlx5_0", "4: ACTIVE", "400 Gb/sec (4X NDR)");
  EXPECT_EQ(judged_ports().observed, "mlx5_0:1 ACTIVE 400 Gb/sec (4X NDR)");
  EXPECT_EQ(judged_ports().status, CheckStatus::pass);
  make_port("mlx5_1", "4: ACTIVE", "200 Gb/sec (4X HDR)");
  EXPECT_EQ(judged_ports().status, CheckStatus::fail);
  make_port("mlx5_1", "1: DOWN", "10 Gb/sec (4X SDR)");
  EXPECT_EQ(judged_ports().observed, "mlx5_1:1 DOWN 10 Gb/sec (4X SDR)");
}

TEST_F(Ports, ThatAreNotUsedMayBeDown) {
  make_port("mlx5_0", "4: ACTIVE", "400 Gb/sec (4X NDR)");
  make_port("mlx5_1", "1: DOWN", "10 Gb/sec (4X SDR)");
  machine_.environment.variables = {{"NCCL_IB_HCA", "mlx5_0:1", Grade::chosen, "a test"}};
  EXPECT_EQ(judged_ports().status, CheckStatus::pass);
  machine_.environment.variables = {{"NCCL_IB_HCA", "mlx5_7", Grade::chosen, "a test"}};
  EXPECT_EQ(judged_ports().observed, "no port matches NCCL_IB_HCA=mlx5_7");
}

TEST(PortLists, AreAsNcclReadsThem) {
  const InfinibandPort port{"mlx5_1", "1", "ACTIVE", ""};
  for (const char* list : {"", "mlx5", "mlx5_1:1", "=mlx5_1", "^mlx5_0", "mlx5_0:1,mlx5_1:1"})
    EXPECT_TRUE(is_in_port_list(port, list)) << list;
  for (const char* list : {"mlx5_0", "=mlx5", "^mlx5", "mlx5_1:2", "^=mlx5_1", ","})
    EXPECT_FALSE(is_in_port_list(port, list)) << list;
}

TEST_F(Cards, OfAnotherStackAreListedByItsTool) {
  stack_ = vccl_stack();
  CheckRule rule;
  rule.file = "nvidia-smi";
  sample_.runner.on_run = [](const Command& command) {
    EXPECT_EQ(command.argv.front(), "nvidia-smi");
    RunResult result;
    result.status = 0;
    for (int card = 0; card < 8; ++card)
      result.output += concat(card, ", NVIDIA H800, 00000000:0", card,
                              ":00.0, GPU-1, 35, 70.12, 700.00, 81559, 4, 0, P0, 535.161.08\n");
    return result;
  };
  CheckResult result;
  judge_tool(machine_, rule, result);
  EXPECT_EQ(result.observed, "8 cards of model NVIDIA H800, driver 535.161.08");
}

}  // namespace
}  // namespace topsctl
