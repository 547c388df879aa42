// By which signs it is known how the program was started.
#include "topsctl/host/facts/start_way.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace topsctl {
namespace {

TEST(StartWay, IsKnownByEnvironmentAndAncestors) {
  const std::map<std::string, std::string> over_ssh = {{"SSH_CONNECTION", "10.0.0.1 5 10.0.0.2 22"},
                                                       {"SSH_TTY", "/dev/pts/1"}};
  const std::map<std::string, std::string> command = {{"SSH_CONNECTION", "10.0.0.1 5 10.0.0.2 22"}};
  EXPECT_EQ(start_way(over_ssh, {"bash", "sshd"}, false), StartWay::shell);
  EXPECT_EQ(start_way(over_ssh, {"zsh", "sshd"}, false), StartWay::zsh);
  EXPECT_EQ(start_way(over_ssh, {"tcsh", "sshd"}, false), StartWay::csh);
  EXPECT_EQ(start_way(over_ssh, {"fish", "sshd"}, false), StartWay::fish);
  EXPECT_EQ(start_way(command, {"bash", "sshd"}, false), StartWay::ssh_command);
  EXPECT_EQ(start_way(command, {"sshd"}, true), StartWay::ssh_command);
  EXPECT_EQ(start_way({{"SUDO_COMMAND", "/usr/bin/topsctl"}}, {"sudo", "zsh"}, false),
            StartWay::sudo);
  EXPECT_EQ(start_way({}, {"sh", "cron", "cron", "systemd"}, false), StartWay::cron);
  EXPECT_EQ(start_way({{"INVOCATION_ID", "1"}, {"JOURNAL_STREAM", "8:1"}}, {"systemd"}, false),
            StartWay::unit);
  EXPECT_EQ(start_way({{"INVOCATION_ID", "1"}}, {"bash", "gnome-terminal-"}, false),
            StartWay::shell);
  EXPECT_EQ(start_way({}, {"bash"}, true), StartWay::container);
  EXPECT_EQ(start_way({}, {}, true), StartWay::container);
  EXPECT_EQ(start_way({}, {"bash", "login"}, false), StartWay::shell);
}

}  // namespace
}  // namespace topsctl
