// The machine worked on: its paths, its commands, its clock.
#include "topsctl/host/system/host.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sample_host.hpp"

namespace topsctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;

TEST(Timestamps, AreRfc3339InUtc) {
  using std::chrono::seconds;
  using Time = std::chrono::system_clock::time_point;
  EXPECT_EQ(timestamp(Time(seconds(0))), "1970-01-01T00:00:00Z");
  EXPECT_EQ(timestamp(Time(seconds(1'795'515'300))), "2026-11-24T10:15:00Z");
  EXPECT_EQ(timestamp(Time(seconds(951'782'399))), "2000-02-28T23:59:59Z");
}

TEST(Hosts, ResolvePathsInTheirRoot) {
  const SampleHost sample;
  sample.folder.make_folder("usr/lib");
  std::filesystem::create_symlink("/usr/lib", sample.folder / "lib");
  EXPECT_EQ(sample.host.resolve_parent("/lib"), sample.folder / "lib");
  EXPECT_EQ(sample.host.resolve("/lib"), sample.folder / "usr/lib");
  EXPECT_EQ(sample.host.resolve_parent("/lib/x"), sample.folder / "usr/lib/x");
  EXPECT_EQ(sample.host.join_canonical("/usr/lib"), sample.folder / "usr/lib");
}

TEST(Hosts, HaveTheRealRootUnlessToldOtherwise) {
  const Host host;
  EXPECT_EQ(host.join_canonical("/etc/passwd"), "/etc/passwd");
  EXPECT_EQ(host.resolve_parent("/nonexistent/x"), "/nonexistent/x");
}

TEST(Hosts, GiveCommandsTheirRootAndAPlainEnvironment) {
  const SampleHost sample;
  const Command command = sample.host.command({"dpkg", "--version"}, 1234);
  EXPECT_THAT(command.argv, ElementsAre("dpkg", "--version"));
  EXPECT_EQ(command.root, sample.folder.path());
  EXPECT_EQ(command.timeout_ms, 1234);
  EXPECT_EQ(command.environment.at("LC_ALL"), "C.UTF-8");
  EXPECT_THAT(command.environment, Contains(Key("PATH")));
  EXPECT_THAT(command.environment, Not(Contains(Key("LD_PRELOAD"))));
  EXPECT_EQ(command.environment.size(), 3U);
}

TEST(ProcessEnvironment, IsThatOfThisProcess) {
  ASSERT_EQ(::setenv("TOPSCTL_TEST_VARIABLE", "a=b", 1), 0);
  EXPECT_EQ(process_environment().at("TOPSCTL_TEST_VARIABLE"), "a=b");
  ::unsetenv("TOPSCTL_TEST_VARIABLE");
  EXPECT_THAT(process_environment(), Not(Contains(Key("TOPSCTL_TEST_VARIABLE"))));
}

TEST(RequestingUser, IsWhoCalledSudoButOnlyForRoot) {
  const std::string self = requesting_user({});
  EXPECT_FALSE(self.empty());
  const std::string named = requesting_user({{"SUDO_USER",
                                              "ali\x1b"
                                              "ce"}});
  EXPECT_EQ(named, is_root_user() ? "ali?ce" : self);
}

}  // namespace
}  // namespace topsctl
