// Commands at the far end, by a script of what it says: reports, lost connections, and nonsense.
#include "topsctl/engine/remote/remote_run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/moved_clock.hpp"
#include "support/scripted_remote.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"

namespace topsctl {
namespace {

std::string result(int status, const std::string& report, const std::string& words = "") {
  return json_frame(FrameKind::result, to_json(RemoteRunEnd{status, report, words}));
}

std::string install_report() {
  return to_line(Json{{"command", "install"},
                      {"status", "ok"},
                      {"error", nullptr},
                      {"outcome", "committed"},
                      {"transaction", 7},
                      {"confirm_until", "2026-11-22T10:00:00Z"},
                      {"changed", true},
                      {"msg", "done"}});
}

class RemoteRuns : public testing::Test {
 protected:
  RemoteReport run() { return run_remote(described()); }
  RemoteRun described() {
    RemoteCommand command;
    command.words = {"install", "/tmp/a.deb"};
    command.timeout_ms = timeout_ms;
    return {.remote = remote,
            .target = target,
            .program = program,
            .command = command,
            .clock = clock,
            .on_line = [&](std::string_view line) { lines += concat(line, "|"); }};
  }

  const Target target = parse_target("node1");
  const CarriedProgram program{"/bin/true", std::string(64, '0'), 0};

  ScriptedRemote remote;
  SystemClock clock;
  std::string lines;
  std::int64_t timeout_ms = 60'000;
};

TEST_F(RemoteRuns, BringTextAsItStands) {
  remote.script = {{frame(FrameKind::event, "one\n"), result(5, "no JSON\n", "words")}};
  const RemoteRunEnd end = run_remote_as_text(described());
  EXPECT_EQ(end.status, 5);
  EXPECT_EQ(end.report, "no JSON\n");
  EXPECT_EQ(end.last_words, "words");
  EXPECT_EQ(lines, "one|");
}

TEST_F(RemoteRuns, BringTheReport) {
  remote.script = {{frame(FrameKind::event, "one\ntw"), frame(FrameKind::event, "o\n"),
                    result(0, install_report())}};
  const RemoteReport report = run();
  EXPECT_EQ(report.status, 0);
  EXPECT_EQ(report.outcome, "committed");
  EXPECT_EQ(report.transaction, 7);
  EXPECT_TRUE(report.awaits_confirmation);
  EXPECT_TRUE(report.changed);
  EXPECT_FALSE(report.error);
  EXPECT_EQ(lines, "one|two|");
}

// As a confirmation right after an install: the link may be cut in between.
TEST_F(RemoteRuns, WaitForAHostThatWasReachedBefore) {
  RemoteRun described = this->described();
  described.command.was_reached = true;
  remote.script = {{result(0, install_report())}};
  remote.refusals = 2;
  EXPECT_EQ(run_remote(described).reconnects, 2U);
  described.command.timeout_ms = -1;
  remote.refusals = 1;
  EXPECT_EQ(thrown_by([&] { run_remote(described); }).message(), "no route");
  EXPECT_EQ(remote.connections, 4U);
}

TEST_F(RemoteRuns, AreFoundAgainAfterALostConnection) {
  remote.script = {{frame(FrameKind::event, "one\n")},
                   {frame(FrameKind::event, "two\n"), result(0, install_report())}};
  EXPECT_EQ(run().reconnects, 1U);
  EXPECT_EQ(lines, "one|two|");
  EXPECT_NE(remote.heard.find("\"events_from\":4"), std::string::npos);
  // By the same id.
  const std::size_t first = remote.heard.find("\"id\":\"");
  const std::size_t second = remote.heard.find("\"id\":\"", first + 1);
  EXPECT_EQ(remote.heard.substr(first, 40), remote.heard.substr(second, 40));
}

TEST_F(RemoteRuns, ThatWereBegunBeforeAreFoundByTheirId) {
  RemoteRun described = this->described();
  described.command.id = new_run_id();
  described.command.has_begun = true;
  remote.script = {{result(0, install_report())}};
  remote.refusals = 1;  // what runs there is waited for
  EXPECT_EQ(run_remote(described).transaction, 7);
  EXPECT_NE(remote.heard.find(concat("\"id\":\"", described.command.id, "\"")), std::string::npos);
  EXPECT_NE(remote.heard.find("\"has_begun\":true"), std::string::npos);
}

TEST_F(RemoteRuns, AreNoOtherCommands) {
  Json other = Json::parse(install_report());
  for (const char* command : {"history", "", "installs"}) {
    other["command"] = command;
    remote.script = {{result(0, to_line(other))}};
    EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::unreachable) << command;
  }
}

TEST_F(RemoteRuns, DoNotSucceedWithAFailure) {
  Json failed = Json::parse(install_report());
  for (const char* outcome : {"rollback_incomplete", "unfinished", "failed_before_change"}) {
    failed["outcome"] = outcome;
    remote.script = {{result(0, to_line(failed))}};
    const Error error = thrown_by([&] { run(); });
    EXPECT_EQ(error.code(), ErrorCode::unreachable);
    EXPECT_NE(error.message().find(outcome), std::string::npos) << error.message();
  }
  RemoteRun doctor = described();
  doctor.command.words = {"doctor"};
  remote.script = {{result(
      0, R"({"command": "doctor", "status": "ok", "error": null, "verdict": "problems"})")}};
  EXPECT_EQ(thrown_by([&] { run_remote(doctor); }).code(), ErrorCode::unreachable);
  RemoteRun verify = described();
  verify.command.words = {"verify"};
  Json report = {{"command", "verify"}, {"status", "ok"}, {"error", nullptr}};
  for (const char* status : {"pass", "fail"}) {
    report["checks"] = {{{"id", "x"}, {"status", status}}};
    remote.script = {{result(0, to_line(report))}};
    if (std::string_view(status) == "pass")
      EXPECT_EQ(run_remote(verify).status, 0);
    else
      EXPECT_EQ(thrown_by([&] { run_remote(verify); }).code(), ErrorCode::unreachable);
  }
}

TEST_F(RemoteRuns, AreLostOnceTheyAreGivenUp) {
  remote.script = {{frame(FrameKind::event, "one\n"), frame(FrameKind::event, ""),
                    frame(FrameKind::event, ""), result(0, install_report())}};
  RemoteRun described = this->described();
  int asked = 0;
  described.is_given_up = [&] { return ++asked > 2; };
  EXPECT_EQ(thrown_by([&] { run_remote(described); }).code(), ErrorCode::unreachable);
  EXPECT_EQ(asked, 3);
}

TEST_F(RemoteRuns, EndInTimeHoweverOftenTheySaySomething) {
  MovedClock moved;
  RemoteCommand command;
  command.words = {"install"};
  command.most_ms = 60'000;
  remote.script = {{frame(FrameKind::event, "x\n"), frame(FrameKind::event, "x\n"),
                    frame(FrameKind::event, "x\n"), result(0, install_report())}};
  const RemoteRun run = {
      .remote = remote,
      .target = target,
      .program = program,
      .command = command,
      .clock = moved,
      .on_line = [&](std::string_view) { moved.passed += std::chrono::seconds(31); }};
  EXPECT_EQ(thrown_by([&] { run_remote(run); }).code(), ErrorCode::unreachable);
}

// At each look 20 seconds later.
class PassingClock : public MovedClock {
 public:
  std::chrono::steady_clock::time_point steady() const override {
    return std::chrono::steady_clock::time_point(std::chrono::seconds(20) * ++looks_);
  }

 private:
  mutable int looks_ = 0;
};

TEST_F(RemoteRuns, TellThatAHostOnlySaysThatItIsAtWork) {
  const std::string beat = frame(FrameKind::event, "");
  const std::string words = frame(FrameKind::event, "x\n");
  const auto told_of = [&](std::deque<std::string> script) {
    std::size_t told = 0;
    const PassingClock passing;
    script.push_back(result(0, install_report()));
    remote.script = {std::move(script)};
    const RemoteRun like = described();
    run_remote({.remote = like.remote,
                .target = like.target,
                .program = like.program,
                .command = like.command,
                .clock = passing,
                .on_line = like.on_line,
                .on_silence = [&](std::chrono::seconds) { ++told; }});
    return told;
  };
  EXPECT_EQ(told_of({beat, beat, beat, beat, beat}), 1U);
  EXPECT_EQ(told_of({beat, beat, words, beat, beat, words, beat}), 0U);
}

TEST_F(RemoteRuns, AreNoSuccessThatContradictsItself) {
  for (const auto& [status, said] : {std::pair(0, "problems"), {0, "rolled_back"}, {1, "ok"}}) {
    Json report = Json::parse(install_report());
    report["status"] = said;
    remote.script = {{result(status, to_line(report))}};
    EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::unreachable) << said;
  }
}

TEST_F(RemoteRuns, ReadNoReportOfMillionsOfValues) {
  std::string report = install_report();
  report.insert(report.size() - 1, ",\"x\":[0");
  for (int i = 0; i < 1'000'001; ++i) report.insert(report.size() - 1, ",0");
  remote.script = {{result(0, report)}};
  EXPECT_NE(thrown_by([&] { run(); }).message().find("too large"), std::string::npos);
}

TEST_F(RemoteRuns, DoNotRepeatAPassword) {
  remote.script = {{result(1, "", "sudo: hunter2 is wrong, hunter2\n")}};
  RemoteRun run = described();
  run.command.sudo_password = Secret("hunter2");
  const Error error = thrown_by([&] { run_remote(run); });
  EXPECT_EQ(error.message().find("hunter2"), std::string::npos);
  EXPECT_EQ(error.code(), ErrorCode::permission);
}

TEST_F(RemoteRuns, AreGivenUpWhenTheConnectionDoesNotComeBack) {
  timeout_ms = 0;
  remote.script = {{frame(FrameKind::event, "one\n")}};
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::unreachable);
  EXPECT_NE(error.hint().find("history"), std::string::npos);
}

TEST_F(RemoteRuns, ThatNeverBeganAreNotTriedAgain) {
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::unreachable);
  EXPECT_EQ(remote.connections, 1U);
}

TEST_F(RemoteRuns, TellTheErrorOfTheFarEnd) {
  const Json failed = {
      {"command", "install"},
      {"status", "host_unfit"},
      {"error",
       {{"code", "busy"}, {"message", "locked"}, {"context", Json::array()}, {"hint", nullptr}}}};
  remote.script = {{result(4, to_line(failed))}};
  const RemoteReport report = run();
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code(), ErrorCode::busy);
  EXPECT_EQ(report.status, 4);
}

TEST_F(RemoteRuns, RefuseAReportThatIsNone) {
  for (const char* report : {"", "Segmentation fault", "[]", "{\"status\": 1}"}) {
    remote.script = {{result(1, report, "what it said\n")}};
    const Error error = thrown_by([&] { run(); });
    EXPECT_EQ(error.code(), ErrorCode::unreachable) << report;
    EXPECT_NE(error.message().find("what it said"), std::string::npos);
  }
}

TEST_F(RemoteRuns, SayThatSudoWantsAPassword) {
  remote.script = {{result(1, "", "sudo: a password is required\n")}};
  const Error error = thrown_by([&] { run(); });
  EXPECT_EQ(error.code(), ErrorCode::permission);
  EXPECT_NE(error.hint().find("--ask-sudo-pass"), std::string::npos);
}

TEST_F(RemoteRuns, SayThatTheyWereCutOff) {
  remote.script = {{result(-1, "")}};
  EXPECT_NE(thrown_by([&] { run(); }).hint().find("recover"), std::string::npos);
}

TEST_F(RemoteRuns, RefuseAFrameThatIsTooLong) {
  remote.script = {{std::string("X\xff\xff\xff\x7f", 5)}};
  timeout_ms = 0;
  EXPECT_EQ(thrown_by([&] { run(); }).code(), ErrorCode::unreachable);
}

}  // namespace
}  // namespace topsctl
