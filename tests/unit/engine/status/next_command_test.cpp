// What to type next on a host.
#include "engine/status/next_command.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace topsctl {
namespace {

HostStatus installed() {
  HostStatus status;
  status.is_history_readable = true;
  status.installed.emplace().stack = "topsrider-t2x";
  status.installed->bundle = {"/srv/bundle"};
  status.environment.emplace().file = "/etc/profile.d/topsrider.sh";
  status.cards.emplace().listed = 8;
  status.cards->wanted = 8;
  return status;
}

CheckResult problem(const std::string& id, const std::string& hint) {
  CheckResult result;
  result.id = id;
  result.status = CheckStatus::fail;
  result.hint = hint;
  result.is_problem = true;
  return result;
}

std::string next(const HostStatus& status, bool is_root = true, const std::string& shell = "bash") {
  StatusRequest request;
  request.is_root = is_root;
  request.shell.program = shell;
  return next_command(status, request).command;
}

TEST(NextCommand, GoesFromTheMostUrgentToTheLeast) {
  HostStatus status = installed();
  EXPECT_EQ(next(status), "topsctl verify");
  EXPECT_EQ(next(status, false), "sudo topsctl verify");
  status.cards->listed = 7;
  EXPECT_EQ(next(status), "topsctl doctor");
  status.cards->listed.reset();
  EXPECT_EQ(next(status), "topsctl verify --level import");
  status.failed_run.emplace().log_folder = "/srv/my logs";
  EXPECT_EQ(next(status), "topsctl doctor --log '/srv/my logs'");
  status.trainings.emplace_back();
  EXPECT_EQ(next(status), "topsctl watch");
  status.environment->missing = {"LD_LIBRARY_PATH"};
  EXPECT_EQ(next(status), ". /etc/profile.d/topsrider.sh");
  EXPECT_EQ(next(status, true, "fish"), "topsctl env --format fish | source");
  status.checks = {problem("eccl-files", "restore it with `topsctl repair`")};
  EXPECT_EQ(next(status), "topsctl repair");
  status.checks.push_back(problem("eccl-installed", "install it with `topsctl install BUNDLE`"));
  EXPECT_EQ(next(status), "topsctl install /srv/bundle");
  status.installed->bundle.clear();
  EXPECT_EQ(next(status), "topsctl verify --level files");
  status.waiting = {{7, WaitState::unconfirmed, "2026-11-20T10:15:00Z", true}};
  EXPECT_EQ(next(status), "topsctl confirm 7");
  EXPECT_TRUE(next_command(status, {}).over_new_connection);
  status.waiting.front().state = WaitState::overdue;
  EXPECT_EQ(next(status), "topsctl recover");
  status.waiting.front().state = WaitState::damaged;
  EXPECT_EQ(next(status), "topsctl recover --from-store");
}

TEST(NextCommand, NamesAnotherRoot) {
  HostStatus status = installed();
  status.cards.reset();
  StatusRequest request;
  request.is_root = true;
  request.root = "/srv/my image";
  EXPECT_EQ(next_command(status, request).command,
            "topsctl verify --level import --root '/srv/my image'");
}

TEST(NextCommand, OfAHostWithNothingLooksForABundleHere) {
  const TemporaryFolder folder;
  StatusRequest request;
  request.directory = folder.path();
  EXPECT_EQ(next_command({}, request).command, "topsctl help install");
  folder.write("a.deb", "");
  EXPECT_EQ(next_command({}, request).command, "topsctl help install");
  std::filesystem::create_directory(folder.path() / "sdk");
  folder.write("sdk/tops-sdk_2.5.136-1_amd64.deb", "");
  EXPECT_EQ(next_command({}, request).command, "topsctl inspect .");
}

}  // namespace
}  // namespace topsctl
