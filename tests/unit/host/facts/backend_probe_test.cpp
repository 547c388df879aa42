// The probe of a backend: no process can end or print it away.
#include "topsctl/host/facts/backend_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/sample_host.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/model/json.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;

BackendRequest request_of(std::vector<std::string> steps, const std::string& module = "json") {
  BackendRequest request;
  request.python = "/usr/bin/python3";
  request.backend = {"eccl", module, "libeccl.so", "ecclGetVersion", ""};
  request.steps = std::move(steps);
  request.timeout_ms = 30'000;
  return request;
}

struct RealHost {
  SystemRunner runner;
  SystemClock clock;
  Host host{"/", &runner, &clock, process_environment()};
};

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
