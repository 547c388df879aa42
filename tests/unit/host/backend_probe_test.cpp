// The probe of a backend: what its lines mean, and that no process can end or print it away.
#include "topsctl/host/backend_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../support/sample_host.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

BackendRequest request_of(std::vector<std::string> steps, const std::string& module = "json") {
  BackendRequest request;
  request.python = "/usr/bin/python3";
  request.backend = {"eccl", module, "libeccl.so", "ecclGetVersion"};
  request.steps = std::move(steps);
  request.timeout_ms = 30'000;
  return request;
}

struct RealHost {
  SystemRunner runner;
  SystemClock clock;
  Host host{"/", &runner, &clock, process_environment()};
};

TEST(ProbeLines, AreTakenWithTheTokenOnly) {
  const auto steps = parse_probe_lines(
      "noise\nT {\"step\": \"torch\", \"state\": \"begin\"}\n"
      "{\"step\": \"torch\", \"state\": \"failed\"}\nX {\"step\": \"torch\", \"state\": "
      "\"failed\"}\n"
      "T {\"step\": \"torch\", \"state\": \"done\", \"version\": \"1.10\\u001b\", \"ms\": 7}\n"
      "T {\"step\": \"module\", \"state\": \"begin\"}\nT {\"step\"\nT []\n",
      "T");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].state, ProbeState::done);
  EXPECT_EQ(steps[0].version, "1.10?");
  EXPECT_EQ(steps[0].duration_ms, 7);
  EXPECT_EQ(steps[1].state, ProbeState::cut_off);
}

TEST(ProbeLines, TellCardsAndRanks) {
  const auto steps = parse_probe_lines(
      "T {\"step\": \"card\", \"state\": \"begin\", \"arguments\": [3]}\n"
      "T {\"step\": \"card\", \"state\": \"done\", \"right\": true, \"total\": 4224.0}\n"
      "T {\"step\": \"ranks\", \"state\": \"begin\"}\n"
      "T {\"step\": \"ranks\", \"state\": \"done\", \"status\": 1, \"answers\": [{\"rank\": 1, "
      "\"ok\": false, "
      "\"error\": \"E\"}, 7]}\n",
      "T");
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].card, 3);
  EXPECT_TRUE(steps[0].is_right);
  EXPECT_EQ(steps[1].status, 1);
  ASSERT_EQ(steps[1].ranks.size(), 1U);
  EXPECT_EQ(steps[1].ranks[0].card, 1);
  EXPECT_EQ(steps[1].ranks[0].error, "E");
}

TEST(Trials, TellOfAModuleAndOfOneThatIsMissing) {
  RealHost real;
  const BackendTrial good = try_backend(real.host, request_of({"module"}));
  ASSERT_NE(good.step("module"), nullptr);
  EXPECT_EQ(good.step("module")->state, ProbeState::done);
  EXPECT_THAT(good.step("module")->file, HasSubstr("json/__init__.py"));
  EXPECT_FALSE(good.step("module")->version.empty());
  EXPECT_EQ(good.ending, "");
  const BackendTrial bad =
      try_backend(real.host, request_of({"module", "devices"}, "no_such_module"));
  EXPECT_EQ(bad.step("module")->state, ProbeState::failed);
  EXPECT_THAT(bad.step("module")->error, HasSubstr("ModuleNotFoundError: No module named"));
  EXPECT_EQ(bad.step("devices"), nullptr);
}

TEST(Trials, AreNotDisturbedByWhatAModulePrints) {
  RealHost real;
  EXPECT_EQ(try_backend(real.host, request_of({"module"}, "this")).step("module")->state,
            ProbeState::done);
}

TEST(Trials, TellThatALibraryIsMissing) {
  RealHost real;
  BackendRequest request = request_of({"library"});
  request.backend.library = "libno-such-library.so";
  const BackendTrial trial = try_backend(real.host, request);
  ASSERT_NE(trial.step("library"), nullptr);
  EXPECT_EQ(trial.step("library")->state, ProbeState::failed);
  EXPECT_THAT(trial.step("library")->error, HasSubstr("cannot open shared object file"));
}

TEST(Trials, KnowTheStepInWhichTheProcessEnded) {
  SampleHost sample;
  sample.runner.on_run = [](const Command& command) {
    RunResult result;
    result.status = -1;
    result.signal = 4;
    result.output = "Fatal\x1b error\n";
    const auto token = Json::parse(command.argv.back()).at("token").get<std::string>();
    result.report = concat(token, R"( {"step": "card", "state": "begin", "arguments": [5]})", "\n");
    return result;
  };
  BackendRequest request = request_of({"cards"});
  request.environment = {{"A", "1"}};
  const BackendTrial trial = try_backend(sample.host, request);
  EXPECT_EQ(trial.ending, "killed by signal 4");
  EXPECT_EQ(trial.output, "Fatal? error");
  ASSERT_NE(trial.step("card"), nullptr);
  EXPECT_EQ(trial.step("card")->state, ProbeState::cut_off);
  EXPECT_EQ(trial.step("card")->card, 5);
  EXPECT_EQ(sample.runner.commands.at(0).environment.at("A"), "1");
}

}  // namespace
}  // namespace topsctl
