// Logs that come from a far end, whatever it says that they are.
#include "topsctl/engine/remote/fetched_logs.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/scripted_remote.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown.hpp"
#include "topsctl/host/system/files.hpp"

namespace topsctl {
namespace {

namespace fs = std::filesystem;

std::string piece(const std::string& name, const std::string& bytes) {
  return frame(FrameKind::fetched, concat(to_line({{"name", name}}), "\n", bytes));
}

class FetchedLogs : public testing::Test {
 protected:
  void fetch(std::uint64_t most = 1000) {
    fetch_logs(remote, target, program, "/srv/topsctl-logs/20261125T000000Z-7-1",
               folder.path() / "host_1", most);
  }
  ErrorCode refusal(Said said, std::uint64_t most = 1000) {
    said.push_back(frame(FrameKind::fetched, ""));  // as if that were all
    remote.script = {std::move(said)};
    fs::remove_all(folder.path() / "host_1");
    return thrown_by([&] { fetch(most); }).code();
  }

  const Target target = parse_target("node1");
  const CarriedProgram program{"/bin/true", std::string(64, '0'), 0};
  TemporaryFolder folder;
  ScriptedRemote remote;
};

TEST_F(FetchedLogs, AreWrittenWhereTheyBelong) {
  remote.script = {{piece("launch.json", "{}"), piece("attempt_0/rank_0.log", "one\n"),
                    piece("attempt_0/rank_0.log", "two\n"), piece("attempt_0/launcher.log", "x"),
                    frame(FrameKind::fetched, "")}};
  fetch();
  EXPECT_EQ(read_text(folder.path() / "host_1/attempt_0/rank_0.log"), "one\ntwo\n");
  EXPECT_EQ(read_text(folder.path() / "host_1/attempt_0/launcher.log"), "x");
  EXPECT_EQ(read_text(folder.path() / "host_1/launch.json"), "{}");
  EXPECT_NE(remote.heard.find("20261125T000000Z-7-1"), std::string::npos);
}

TEST_F(FetchedLogs, AreNothingElse) {
  for (const char* name :
       {"", "/etc/passwd", "../rank_0.log", "attempt_0/../../x.log", "x.log", "attempt_0/.log",
        "attempt_0/a/b.log", "attempt_0/rank_0.sh", "attempt_0/RANK.log", "other_0/rank_0.log"})
    EXPECT_EQ(refusal({piece(name, "x")}), ErrorCode::unreachable) << name;
  EXPECT_EQ(refusal({frame(FrameKind::fetched, "no head")}), ErrorCode::unreachable);
  EXPECT_EQ(refusal({frame(FrameKind::event, "x")}), ErrorCode::unreachable);
}

TEST_F(FetchedLogs, AreNoMoreThanThereIsRoomFor) {
  EXPECT_EQ(refusal({piece("attempt_0/rank_0.log", std::string(600, 'x')),
                     piece("attempt_0/rank_0.log", std::string(600, 'x'))}),
            ErrorCode::unreachable);
}

TEST_F(FetchedLogs, HaveAnEnd) {
  Said said;
  for (int i = 0; i < 40'001; ++i) said.push_back(piece("attempt_0/rank_0.log", ""));
  EXPECT_EQ(refusal(std::move(said), std::uint64_t{1} << 30U), ErrorCode::unreachable);
}

TEST_F(FetchedLogs, DoNotWriteOverWhatIsThere) {
  EXPECT_EQ(refusal({piece("attempt_0/rank_0.log", "x"), piece("launch.json", "{}"),
                     piece("attempt_0/rank_0.log", "y")}),
            ErrorCode::unreachable);
  EXPECT_EQ(read_text(folder.path() / "host_1/attempt_0/rank_0.log"), "x");
}

}  // namespace
}  // namespace topsctl
