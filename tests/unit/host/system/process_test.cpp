// Running real programs: how they end, what they get, and that none outlives its time.
#include "topsctl/host/system/process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "support/programs.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/host/system/descriptor.hpp"
#include "topsctl/host/system/files.hpp"
#include "topsctl/host/system/interrupt.hpp"
#include "topsctl/host/system/pipe.hpp"
#include "topsctl/host/system/startup.hpp"

namespace topsctl {
namespace {

using testing::HasSubstr;
using testing::Lt;

Command shell(const std::string& script, std::int64_t timeout_ms = 30'000) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.environment = plain_environment();
  command.timeout_ms = timeout_ms;
  return command;
}

RunResult run_shell(const std::string& script, std::int64_t timeout_ms = 30'000) {
  return SystemRunner().run(shell(script, timeout_ms));
}

// A pipe whose writing end programs inherit: it ends when all of them have.
class LifeLine {
 public:
  LifeLine() {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    read_ = Descriptor(ends[0]);
    write_ = Descriptor(ends[1]);
    ::fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  }
  bool all_ended_within(int milliseconds) {
    write_.close();
    pollfd watched{read_.get(), POLLIN, 0};
    return ::poll(&watched, 1, milliseconds) == 1;
  }

 private:
  Descriptor read_;
  Descriptor write_;
};

TEST(Programs, RunInASessionOfTheirOwnWithoutATerminal) {
  // Behind the name in brackets: state, parent, group, session, terminal.
  const RunResult result = run_shell("read -r line < /proc/self/stat; echo \"${line#*) }\"");
  const std::vector<std::string> fields = split(result.output, ' ');
  ASSERT_GT(fields.size(), 5U);
  EXPECT_NE(fields[3], std::to_string(::getsid(0)));
  EXPECT_EQ(fields[2], fields[3]) << "one group, one session";
  EXPECT_EQ(fields[4], "0");
}

TEST(Programs, EndWithTheirExitStatus) {
  EXPECT_TRUE(run_shell("exit 0").ok());
  const RunResult result = run_shell("exit 7");
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.status, 7);
  EXPECT_EQ(result.ending(), "exit status 7");
}

TEST(Programs, EndWithTheirSignal) {
  const RunResult result = run_shell("kill -KILL $$");
  EXPECT_EQ(result.status, -1);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.ending(), "killed by signal 9");
}

TEST(Programs, SayThingsOnBothStreams) {
  EXPECT_EQ(run_shell("echo out; echo err >&2; echo out").output, "out\nerr\nout\n");
}

TEST(Programs, AreHeardWhileTheyRun) {
  Command command = shell("echo one; echo two >&2");
  std::string heard;
  command.on_output = [&](std::string_view piece) { heard.append(piece); };
  SystemRunner().run(command);
  EXPECT_EQ(heard, "one\ntwo\n");
}

TEST(Programs, ReportOnDescriptorThree) {
  const RunResult result = run_shell("echo said; echo reported >&3");
  EXPECT_EQ(result.output, "said\n");
  EXPECT_EQ(result.report, "reported\n");
}

TEST(Programs, GetTheirInputWhole) {
  std::string input(3'000'000, 'x');
  input += '\0';
  EXPECT_EQ(trimmed(run_program({"sha256sum"}, input).output.substr(0, 64)),
            trimmed(run_program({"sh", "-c", "cat | sha256sum"}, input).output.substr(0, 64)));
  EXPECT_EQ(trimmed(run_program({"wc", "-c"}, input).output), "3000001");
}

TEST(Programs, GetAnEmptyInputWhenNoneIsGiven) {
  EXPECT_EQ(run_program({"cat"}).output, "");
}

TEST(Programs, MayLeaveTheirInputUnread) {
  watch_signals();  // as the program itself does: a closed pipe must not end us
  EXPECT_TRUE(run_program({"true"}, std::string(1'000'000, 'x')).ok());
}

TEST(Programs, GetExactlyTheEnvironmentThatWasGiven) {
  EXPECT_EQ(run_program({"/usr/bin/env"}, "", {{"A", "1"}, {"B", "x y=z"}}).output,
            "A=1\nB=x y=z\n");
  EXPECT_EQ(run_program({"/usr/bin/env"}, "", {}).output, "");
}

TEST(Programs, GetTheirArgumentsAsTheyStand) {
  EXPECT_EQ(run_program({"printf", "%s|", "", "a b", "*", "$HOME", "'\"\n"}).output,
            "|a b|*|$HOME|'\"\n|");
}

TEST(Programs, StartInTheRootFolderWithPlainSignals) {
  EXPECT_EQ(run_shell("pwd").output, "/\n");
  const RunResult result = run_shell("kill -HUP $$; echo survived");
  EXPECT_EQ(result.signal, SIGHUP);
}

TEST(Programs, InheritNoDescriptorOfOurs) {
  const TemporaryFolder folder;
  const Descriptor ours(::open(folder.path().c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(run_shell(concat("[ -e /proc/$$/fd/", ours.get(), " ] && echo leaked")).output, "");
}

TEST(Programs, KeepTheEndOfALongOutput) {
  const RunResult result =
      run_shell("i=0; while [ $i -lt 60 ]; do printf '%065536d' $i; i=$((i+1)); done; echo end");
  EXPECT_EQ(result.output.size(), 1024U * 1024U);
  EXPECT_TRUE(result.output.ends_with("59end\n"));
}

TEST(Programs, ReportOneMebibyteAtMost) {
  const RunResult result = run_shell("head -c 3000000 /dev/zero >&3");
  EXPECT_TRUE(result.ok());
  EXPECT_LE(result.report.size(), 1024U * 1024U);
}

TEST(Programs, ThatAreMissingAreAnError) {
  const Error error = thrown_by([] { run_program({"no-such-program-of-ours"}); });
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_THAT(error.message(), HasSubstr("cannot start 'no-such-program-of-ours'"));
  EXPECT_EQ(thrown_by([] { run_program({"/no/such/program"}); }).code(), ErrorCode::host_unfit);
}

TEST(Programs, AreLookedUpInTheGivenPathOnly) {
  const TemporaryFolder folder;
  const auto program = folder.write("hello", "#!/bin/sh\necho hello\n");
  std::filesystem::permissions(program, std::filesystem::perms(0755));
  const std::string path = concat("/nonexistent:", folder.path().string());
  EXPECT_EQ(run_program({"hello"}, "", {{"PATH", path}}).output, "hello\n");
  EXPECT_EQ(thrown_by([] {
              run_program({"hello"}, "", {{"PATH", "/nonexistent"}});
            }).code(),
            ErrorCode::host_unfit);
}

TEST(Programs, ThatTakeTooLongAreEndedWithTheirWholeGroup) {
  LifeLine line;
  const RunResult result = run_shell("sh -c 'sleep 100' & sleep 100; wait", 200);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
  EXPECT_THAT(result.ending(), HasSubstr("timed out and was stopped"));
  EXPECT_TRUE(line.all_ended_within(10'000));
}

TEST(Programs, ThatTakeTooLongHaveFailedWhateverTheyExitWith) {
  const RunResult result = run_shell("trap 'exit 0' TERM; while :; do sleep 0.05; done", 300);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
}

TEST(Programs, ThatIgnoreTheRequestToEndAreKilled) {
  LifeLine line;
  const RunResult result = run_shell("trap '' TERM; sleep 100 & wait; sleep 100", 200);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.signal, SIGKILL);
  EXPECT_TRUE(line.all_ended_within(10'000));
}

TEST(Programs, MayLeaveADaemonThatKeepsTheOutputOpen) {
  const TemporaryFolder folder;
  const auto started = std::chrono::steady_clock::now();
  const RunResult result = run_shell("sleep 60 & echo $!", 50'000);
  EXPECT_TRUE(result.ok());
  EXPECT_THAT(std::chrono::steady_clock::now() - started, Lt(std::chrono::seconds(20)));
  const std::string daemon(trimmed(result.output));
  ASSERT_TRUE(is_digits(daemon)) << result.output;
  EXPECT_EQ(::kill(std::stoi(daemon), SIGKILL), 0) << "it is still there";
}

TEST(Programs, MayCloseTheirOutputLongBeforeTheyEnd) {
  EXPECT_EQ(run_shell("exec >&- 2>&- 3>&-; sleep 0.2; exit 3").status, 3);
}

TEST(Programs, EndWithTopsctlWhenItIsKilled) {
  LifeLine line;
  Pipe started = make_pipe();
  const pid_t topsctl = start_copy([&] {
    Command command = shell("trap '' TERM; sleep 100 & echo started; sleep 100", 100'000);
    command.on_output = [&](std::string_view) { write_all(started.write_end, "1", "a pipe"); };
    SystemRunner().run(command);
    return 0;
  });
  started.write_end.close();
  char byte = 0;
  ASSERT_EQ(::read(started.read_end.get(), &byte, 1), 1);
  ::kill(topsctl, SIGKILL);
  ::waitpid(topsctl, nullptr, 0);
  EXPECT_TRUE(line.all_ended_within(10'000));
}

// How often a process gave up the processor of its own will while a program ran for so long.
long pauses_of(const std::string& seconds) {
  struct rusage own {};
  struct rusage children {};
  const pid_t topsctl = start_copy([&] {
    run_shell(concat("exec sleep ", seconds));
    ::getrusage(RUSAGE_SELF, &own);
    ::getrusage(RUSAGE_CHILDREN, &children);
    return static_cast<int>(std::min(own.ru_nvcsw + children.ru_nvcsw, 255L));
  });
  int status = 0;
  ::waitpid(topsctl, &status, 0);
  return WEXITSTATUS(status);
}

TEST(Programs, AreWaitedForWithoutLookingAgain) {
  EXPECT_LT(pauses_of("2"), 50) << "a look each 20 ms would be a hundred";
}

class Interruption : public testing::TestWithParam<std::pair<int, ErrorCode>> {
 protected:
  void SetUp() override {
    watch_signals();
    clear_interrupt();
  }
  void TearDown() override { clear_interrupt(); }
};

TEST_P(Interruption, EndsTheProgramAndIsThrown) {
  LifeLine line;
  Command command = shell("echo started; sleep 100");
  command.on_output = [&](std::string_view) { ::raise(GetParam().first); };
  EXPECT_EQ(thrown_by([&] { SystemRunner().run(command); }).code(), GetParam().second);
  EXPECT_TRUE(is_interrupted());
  EXPECT_TRUE(line.all_ended_within(10'000));
  EXPECT_EQ(thrown_by([&] { run_program({"true"}); }).code(), GetParam().second)
      << "nothing is started until it is cleared";
  clear_interrupt();
  EXPECT_TRUE(run_program({"true"}).ok());
}

INSTANTIATE_TEST_SUITE_P(Each, Interruption,
                         testing::Values(std::pair(SIGINT, ErrorCode::interrupted),
                                         std::pair(SIGTERM, ErrorCode::terminated)),
                         [](const auto& info) {
                           return std::string(info.param.first == SIGINT ? "interrupt"
                                                                         : "terminate");
                         });

TEST(Programs, HaveTheLimitOfOpenFilesThatWasThere) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit small = before;
  small.rlim_cur = std::min<rlim_t>(200, before.rlim_max - 1);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &small), 0);
  prepare_process();
  rlimit own{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &own), 0);
  EXPECT_EQ(own.rlim_cur, before.rlim_max);
  EXPECT_EQ(run_shell("ulimit -n").output, concat(small.rlim_cur, "\n"));
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace topsctl
