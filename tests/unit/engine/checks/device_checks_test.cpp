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
  EXPECT_EQ(judged(judge_nodes).observed, "/dev/gcu1 is no character device");
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

}  // namespace
}  // namespace topsctl
