// Machines that run no programs, and those that are only slow or strange.
#include "engine/remote/sftp_only.hpp"

#include <gtest/gtest.h>

#include "support/no_sigpipe.hpp"
#include "support/sftp_end.hpp"
#include "support/thrown.hpp"
#include "topsctl/base/text.hpp"
#include "topsctl/engine/remote/remote_agent.hpp"

namespace topsctl {
namespace {

const CarriedProgram program{"/bin/true", std::string(64, '0'), 0};

class ForbiddenPrograms : public testing::Test {
 protected:
  // How the start of the program at this far end fails.
  Error refusal() {
    const auto session = far.connect();
    return thrown_by([&] { RemoteAgent(*session, parse_target("node1"), program, "receive"); });
  }

  const NoSigpipe no_sigpipe;
  SftpEnd far;
};

TEST_F(ForbiddenPrograms, AreToldWhereTheRequestIsRefused) {
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_NE(error.message().find("cannot run programs on 'node1'"), std::string::npos);
  EXPECT_NE(error.hint().find("`sftp`"), std::string::npos);
}

TEST_F(ForbiddenPrograms, AreToldWhereTheShellEndsAtOnce) {
  far.on_start = [](const std::string&) {
    return std::make_unique<SaidStream>("This account is currently not available.\n", 1);
  };
  EXPECT_EQ(refusal().code(), ErrorCode::host_unfit);
  EXPECT_EQ(far.started, 1U);
}

TEST_F(ForbiddenPrograms, AreToldWhereAServerAnswersWhateverIsAsked) {
  far.has_subsystem = false;  // it is asked for by a program
  far.on_start = [&](const std::string&) { return std::make_unique<SftpEndStream>(far.faults); };
  EXPECT_EQ(refusal().code(), ErrorCode::host_unfit);
  EXPECT_EQ(far.started, 2U);
}

TEST_F(ForbiddenPrograms, AreNotSuspectedOfAShellThatWasKilled) {
  far.on_start = [](const std::string&) { return std::make_unique<SaidStream>("", -1); };
  EXPECT_EQ(refusal().code(), ErrorCode::unreachable);
}

TEST_F(ForbiddenPrograms, LeaveTheFirstErrorWhereThereIsNoServerEither) {
  far.has_subsystem = false;
  far.on_start = [](const std::string&) { return std::make_unique<SaidStream>("go away", 1); };
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::unreachable);
  EXPECT_NE(error.message().find("go away"), std::string::npos);
}

TEST_F(ForbiddenPrograms, AreNotSuspectedOfASlowShell) {
  far.on_start = [&](const std::string& command) -> std::unique_ptr<RemoteStream> {
    if (command == "exit 3") return std::make_unique<SaidStream>("", 3, 8000);
    const std::size_t at = command.find("topsctl-", command.find("echo "));
    const std::string token = command.substr(at, command.find(' ', at) - at);
    return std::make_unique<SaidStream>(concat(token, " absent Linux aarch64\n"), 0, 4000);
  };
  const Error error = refusal();
  EXPECT_EQ(error.code(), ErrorCode::host_unfit);
  EXPECT_NE(error.message().find("aarch64"), std::string::npos);
  EXPECT_EQ(far.started, 2U);
}

TEST_F(ForbiddenPrograms, AreNotSuspectedOfWhatSaysSomethingElse) {
  far.has_subsystem = false;
  far.on_start = [](const std::string& command) -> std::unique_ptr<RemoteStream> {
    if (command == "exit 3") return std::make_unique<SaidStream>("Good morning\n", 3);
    return std::make_unique<SaidStream>("the first has an end", 1, 3000);
  };
  const Error error = refusal();
  EXPECT_NE(error.message().find("the first has an end"), std::string::npos);
}

}  // namespace
}  // namespace topsctl
