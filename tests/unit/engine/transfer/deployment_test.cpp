// What a host has to say of an install before it counts as done.
#include "topsctl/engine/transfer/deployment.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/scripted_remote.hpp"
#include "support/thrown.hpp"

namespace topsctl {
namespace {

class Deployments : public testing::Test {
 protected:
  // Attached to an install that reports these fields.
  void run(const Json& fields, int confirm_timeout_s = 0) {
    Json report = {{"command", "install"}, {"status", "ok"}, {"error", nullptr}};
    report.update(fields);
    const RemoteRunEnd end{0, to_line(report), ""};
    remote.script = {{json_frame(FrameKind::result, to_json(end))}};
    deploy({.upload = {.remote = remote,
                       .program = program,
                       .files = files,
                       .request = request,
                       .limit = limit,
                       .clock = clock,
                       .on_progress = {}},
            .install_words = {},
            .beside = {},
            .sudo_password = {},
            .confirm_timeout_s = confirm_timeout_s,
            .on_line = [](std::string_view) {},
            .run_id = new_run_id(),
            .is_resumed = true},
           deployment);
  }

  ScriptedRemote remote;
  const CarriedProgram program{"/bin/true", std::string(64, '0'), 0};
  const TransferSet none{};
  const AwaitedSet files{0, [this]() -> const TransferSet& { return none; }};
  const UploadRequest request{.target = parse_target("node1")};
  RateLimit limit{0};
  SystemClock clock;
  Deployment deployment;
};

TEST_F(Deployments, AreDoneByACommitOrWithoutAChange) {
  run({{"outcome", "committed"}, {"transaction", 7}});
  run({{"outcome", "no_change"}});
}

TEST_F(Deployments, AreNotDoneByAnythingElse) {
  for (const Json& outcome : {Json("rolled_back"), Json("planned"), Json(nullptr), Json(7)})
    EXPECT_EQ(thrown_by([&] { run({{"outcome", outcome}}); }).code(), ErrorCode::unreachable);
}

TEST_F(Deployments, AwaitTheConfirmationThatWasAskedFor) {
  const Error error = thrown_by([&] { run({{"outcome", "committed"}, {"transaction", 7}}, 20); });
  EXPECT_EQ(error.code(), ErrorCode::unreachable);
}

}  // namespace
}  // namespace topsctl
